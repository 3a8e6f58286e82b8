/**
 * A small plot of bars, one a day or a name: zero-based, with its unit, and readable without colour or sight: each bar
 * has its value as text, and the table of values can be opened below it.
 */
interface Point {
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

/** The most that a plot is wide: text in it keeps its size on a phone. */
const WIDTH = 400;
/** The most that one bar is wide, however few there are. */
const WIDEST = 40;
const HEIGHT = 160;
/** Above the bars: the text of the highest. */
const HEAD = 18;
const FOOT = 18;
const GAP = 0.25;
const MOST_LABELS = 6;

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
	const step = WIDTH / points.length;
	const every = Math.ceil(points.length / MOST_LABELS);
	return (
		<svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={`${title}, highest ${top.text} on ${top.name}`}>
			<path class="axis" d={`M0 ${HEIGHT - FOOT + 0.5}H${WIDTH}`} />
			<path class="scale" d={`M0 ${HEAD + 0.5}H${WIDTH}M0 ${(HEIGHT - FOOT + HEAD) / 2 + 0.5}H${WIDTH}`} />
			<text x="0" y="12">
				{top.text}
			</text>
			{points.map(({ name, value, text }, i) => {
				const height = ((HEIGHT - HEAD - FOOT) * value) / top.value;
				const width = Math.min(step * (1 - GAP), WIDEST);
				const x = (i + 0.5) * step - width / 2;
				return (
					<rect
						class="bar"
						x={x.toFixed(1)}
						y={(HEIGHT - FOOT - height).toFixed(1)}
						width={width.toFixed(1)}
						height={height.toFixed(1)}
					>
						<title>{`${name}: ${text}`}</title>
					</rect>
				);
			})}
			{points.map(
				({ name }, i) =>
					i % every === 0 && (
						<text x={((i + 0.5) * step).toFixed(1)} y={HEIGHT - 4} text-anchor={anchorOf(i, points.length)}>
							{name}
						</text>
					),
			)}
		</svg>
	);
}

/** Under the middle of its bar; of many narrow ones the first and the last stay inside. */
function anchorOf(i: number, all: number): 'start' | 'middle' | 'end' {
	if (all <= MOST_LABELS) return 'middle';
	return i === 0 ? 'start' : i === all - 1 ? 'end' : 'middle';
}
