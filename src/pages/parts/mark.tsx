/** The sign of the product: a coin cut in two, its halves passing each other. Decoration: the name stands beside it. */
export const MARK = {
	/** The half that goes, and the one that comes, which is paler. */
	halves: ['M11 2.5a7.5 7.5 0 0 0 0 15z', 'M13 6.5a7.5 7.5 0 0 1 0 15z'],
	paler: 0.5,
} as const;

export const Mark = () => (
	<svg class="mark" width="26" height="26" viewBox="0 0 24 24" aria-hidden="true">
		{MARK.halves.map((path, i) => (
			<path d={path} opacity={i === 0 ? undefined : MARK.paler} />
		))}
	</svg>
);
