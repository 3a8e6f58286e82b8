/**
 * One bar a day, small: whole where the day was whole, shorter where it was not, a dot where nothing is known. What each
 * shorter bar means is in its title; the words beside say it all.
 */
interface Bar {
	/** The text for a pointer and a screen reader. */
	readonly title: string;
	/** 0 to 1; null where nothing is known. */
	readonly share: number | null;
}

const STEP = 6;
const WIDTH = 4;
const HEIGHT = 28;
/** A bar that is not whole is at most so high, and at least so high. */
const MOST = 20;
const LEAST = 4;

export function Days({ label, bars }: { readonly label: string; readonly bars: readonly Bar[] }) {
	const draw = (of: (share: number | null) => boolean, top: number) =>
		bars.map(({ share }, i) => (of(share) ? `M${i * STEP} ${top}h${WIDTH}V${HEIGHT}h-${WIDTH}z` : '')).join('');
	return (
		<svg
			class="days"
			viewBox={`0 0 ${bars.length * STEP} ${HEIGHT}`}
			role="img"
			aria-label={label}
			preserveAspectRatio="none"
		>
			<path class="known" d={draw((share) => share === 1, 0)} />
			<path class="unknown" d={draw((share) => share === null, HEIGHT - 2)} />
			{bars.map(({ title, share }, i) => {
				if (share === null || share === 1) return null;
				const height = LEAST + (MOST - LEAST) * share;
				return (
					<rect class="part" x={i * STEP} y={(HEIGHT - height).toFixed(1)} width={WIDTH} height={height.toFixed(1)}>
						<title>{title}</title>
					</rect>
				);
			})}
		</svg>
	);
}
