/** The local sink: points with the same labels are summed, and every ten seconds each sum is one line. */
import { type DataPoint, POINTS, type PointName } from './points.ts';

const FLUSH_MILLISECONDS = 10_000;
/** Sums that are kept; a point beyond them begins the next lines. */
const MOST_SUMS = 500;

interface Sum {
	readonly blobs: readonly string[];
	count: number;
	readonly totals: number[];
	readonly highest: number[];
}

export class Sums {
	readonly #write: (line: string) => void;
	readonly #sums = new Map<string, Sum>();
	#since = 0;

	constructor(write: (line: string) => void) {
		this.#write = write;
	}

	add({ blobs, doubles }: DataPoint, now: number): void {
		if (now - this.#since >= FLUSH_MILLISECONDS || this.#sums.size >= MOST_SUMS) this.flush(now);
		const key = blobs.join(' ');
		const sum = this.#sums.get(key) ?? { blobs, count: 0, totals: doubles.map(() => 0), highest: [...doubles] };
		this.#sums.set(key, sum);
		sum.count++;
		for (const [i, value] of doubles.entries()) {
			sum.totals[i] = (sum.totals[i] ?? 0) + value;
			sum.highest[i] = Math.max(sum.highest[i] ?? value, value);
		}
	}

	/** Writes what is summed so far. */
	flush(now: number): void {
		this.#since = now;
		for (const sum of this.#sums.values()) this.#write(lineOf(sum));
		this.#sums.clear();
	}
}

/** Each value's mean, rounded to two places, and its highest. Pure. */
function lineOf({ blobs: [name = '', ...texts], count, totals, highest }: Sum): string {
	const { labels, values } = POINTS[name as PointName];
	const named = labels.map((label, i) => [label, texts[i]]);
	const figures = values.flatMap((value, i) => [
		[value, Math.round((100 * (totals[i] ?? 0)) / count) / 100],
		[`${value}Max`, highest[i]],
	]);
	return JSON.stringify({ metric: name, ...Object.fromEntries([...named, ['points', count], ...figures]) });
}
