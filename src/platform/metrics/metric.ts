/**
 * Writes points. In production they go to Analytics Engine (`METRICS`): the call returns at once and waits for nothing.
 * Without that binding, and with `METRICS_LOG=on`, they are summed and written as lines of the log every ten seconds.
 * Else they are dropped. A point that cannot be written is dropped too: measuring never fails a call.
 */
import { writeData } from '../log.ts';
import { type DataPoint, dataPoint, type Labels, POINTS, type PointName, type Values } from './points.ts';

const FLUSH_MILLISECONDS = 10_000;
/** Sums that are kept; a point beyond them begins the next lines. */
const MOST_SUMS = 500;

interface Sum {
	readonly blobs: readonly string[];
	count: number;
	readonly totals: number[];
	readonly highest: number[];
}

class Sums {
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

export interface MetricsVariables {
	readonly METRICS?: AnalyticsEngineDataset;
	/** `on` writes points as lines of the log, where there is no dataset: local only. */
	readonly METRICS_LOG?: string;
}

type Sink = (point: DataPoint) => void;

let sink: Sink | null = null;
const sums = new Sums(writeData);

/** Sets it for this isolate. Every entry calls it: it is an assignment. */
export function useMetrics({ METRICS, METRICS_LOG }: MetricsVariables): void {
	if (METRICS) sink = (point) => METRICS.writeDataPoint(point);
	else sink = METRICS_LOG === 'on' ? (point) => sums.add(point, Date.now()) : null;
}

export const areMetricsOn = (): boolean => sink !== null;

/** Writes the sums of the local sink. */
export const flushMetrics = (): void => sums.flush(Date.now());

export function metric<Name extends PointName>(name: Name, labels: Labels<Name>, values: Values<Name>): void {
	if (!sink) return;
	try {
		sink(dataPoint(name, labels, values));
	} catch {
		// Lost, like a point that the platform samples away.
	}
}
