/**
 * A small plot of bars, one a day or a name: zero-based, with its unit, and readable without colour or sight: each bar
 * has its value as text, and the table of values can be opened below it.
 */
export interface Point {
	/** The day or name that the bar stands for. */
	readonly name: string;
	/** Only for drawing: how high. */
	readonly value: number;
	/** The exact value with its unit. */
	readonly text: string;
}

interface Props {
	readonly title: string;
	readonly unit: string;
	readonly points: readonly Point[];
}

/** In units of the drawing; the stylesheet shows one as at most 1.2 px. */
const WIDTH = 400;
const HEIGHT = 170;
/** The most that one bar is wide, however few there are: 48 px. */
const WIDEST = 40;
/** Beside the bars: the figures of the scale. */
const GUTTER = 44;
const HEAD = 10;
const FOOT = 24;
const GAP = 0.3;
/** The width of a letter on a phone, where letters are the largest. */
const LETTER = 9;

export function Plot({ title, unit, points }: Props) {
	const top = points.reduce<Point | null>((most, point) => (point.value > (most?.value ?? 0) ? point : most), null);
	return (
		<figure class="plot">
			<figcaption>{title.toLowerCase() === unit ? title : `${title} (${unit})`}</figcaption>
			{top ? <Bars title={title} points={points} top={top} /> : <p class="soft">Nothing yet.</p>}
			{top && (
				<details>
					<summary class="small soft">As a table</summary>
					<table>
						<tbody>
							{points.map(({ name, text }) => (
								<tr>
									<th scope="row">{name}</th>
									<td class="number">{text}</td>
								</tr>
							))}
						</tbody>
					</table>
				</details>
			)}
		</figure>
	);
}

/** `top`: the first of the highest. */
function Bars({ title, points, top }: Pick<Props, 'title' | 'points'> & { readonly top: Point }) {
	const step = (WIDTH - GUTTER) / points.length;
	const width = Math.min(step * (1 - GAP), WIDEST);
	const end = scaleEnd(top.value);
	const middleOf = (i: number) => GUTTER + (i + 0.5) * step;
	const heightOf = (value: number) => ((HEIGHT - HEAD - FOOT) * value) / end;
	return (
		<svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={`${title}, highest ${top.text} on ${top.name}`}>
			<Scale end={end} heightOf={heightOf} />
			{points.map(({ name, value, text }, i) => (
				<rect
					class="bar"
					x={(middleOf(i) - width / 2).toFixed(1)}
					y={(HEIGHT - FOOT - heightOf(value)).toFixed(1)}
					width={width.toFixed(1)}
					height={heightOf(value).toFixed(1)}
					rx={Math.min(width / 4, 3).toFixed(1)}
				>
					<title>{`${name}: ${text}`}</title>
				</rect>
			))}
			{labelled(points).map((i) => (
				<text x={middleOf(i).toFixed(1)} y={HEIGHT - 6} text-anchor="middle">
					{points[i]?.name}
				</text>
			))}
		</svg>
	);
}

interface ScaleProps {
	/** The value at the top. */
	readonly end: number;
	readonly heightOf: (value: number) => number;
}

const THOUSANDS = [
	[1e9, 'B'],
	[1e6, 'M'],
	[1e3, 'k'],
] as const;

/** `4`, `0.02`, `150k`. */
function shortFigure(value: number): string {
	const [unit, letter] = THOUSANDS.find(([one]) => value >= one) ?? [1, ''];
	return `${Number((value / unit).toPrecision(3))}${letter}`;
}

/** Zero, half and the whole; half an order is none. */
const Scale = ({ end, heightOf }: ScaleProps) => (
	<>
		{[0, ...(end === 1 ? [] : [end / 2]), end].map((value) => {
			const y = HEIGHT - FOOT - heightOf(value) + 0.5;
			return (
				<>
					<path class={value === 0 ? 'axis' : 'scale'} d={`M${GUTTER} ${y}H${WIDTH}`} />
					<text x={GUTTER - 6} y={y + 4} text-anchor="end">
						{shortFigure(value)}
					</text>
				</>
			);
		})}
	</>
);

/** The least of 1, 2, 4, 6, 8 and 10, and of these times a power of ten, that is not under `value`. */
function scaleEnd(value: number): number {
	const power = 10 ** Math.floor(Math.log10(value));
	const first = [1, 2, 4, 6, 8, 10].find((one) => one * power >= value) ?? 10;
	return first * power;
}

/** The points whose names stand under their bars: as many as have room beside each other. */
function labelled(points: readonly Point[]): number[] {
	const longest = Math.max(...points.map(({ name }) => name.length));
	const room = Math.max(1, Math.floor((WIDTH - GUTTER) / ((longest + 1) * LETTER)));
	const every = Math.ceil(points.length / room);
	return points.flatMap((_, i) => (i % every === 0 ? [i] : []));
}
