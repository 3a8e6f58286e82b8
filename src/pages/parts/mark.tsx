/** The sign of the product: two arrows that change places. Decoration: the name stands beside it. */
export const MARK_PATHS = 'M4 8h13l-3-3M20 16H7l3 3';

export const Mark = () => (
	<svg
		width="24"
		height="24"
		viewBox="0 0 24 24"
		aria-hidden="true"
		fill="none"
		stroke="var(--action)"
		stroke-width="2.4"
		stroke-linecap="round"
		stroke-linejoin="round"
	>
		<path d={MARK_PATHS} />
	</svg>
);
