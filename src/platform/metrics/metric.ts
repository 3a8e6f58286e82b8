/**
 * Writes points. In production they go to Analytics Engine (`METRICS`): the call returns at once and waits for nothing.
 * Without that binding, and with `METRICS_LOG=on`, they are summed and written as lines of the log every ten seconds.
 * Else they are dropped. A point that cannot be written is dropped too: measuring never fails a call.
 */
import { writeData } from '../log.ts';
import { type DataPoint, dataPoint, type Labels, type PointName, type Values } from './points.ts';
import { Sums } from './sums.ts';

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
