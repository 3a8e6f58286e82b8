/** Reports: volume and earnings per day as plots, and the lines of any grouping. */
import type { Row } from '../../operator/reading/fields.ts';
import { momentOf } from '../../operator/topics/moment.ts';
import { DAY_MILLISECONDS } from '../../platform/time.ts';
import { Card, Figure } from '../parts/parts.tsx';
import { Plot } from '../parts/plot.tsx';
import { RowsSection } from './answer.tsx';
import type { ConsoleContext } from './asking.ts';
import { commandOf, inputOf } from './commands.ts';
import { dayPoints } from './days.ts';
import { FileLinks, type Report, wholeReport } from './files.tsx';
import { ConsoleFrame, consolePage } from './frame.tsx';
import { Failed, Filters } from './reading.tsx';

const DAYS = 30;
/** More bars than this are too thin to read. */
const MOST_DAYS = 92;

export async function reportsPage(c: ConsoleContext): Promise<Response> {
	const command = commandOf('report');
	const asked = new URL(c.req.url).searchParams;
	const given = new URLSearchParams({
		since: asked.get('since') || `${DAYS}d`,
		until: asked.get('until') ?? '',
		by: asked.get('by') || 'day',
	});
	const input = inputOf(command, given);
	const report = 'wrong' in input ? String(input['wrong']) : await wholeReport(c, input);
	return consolePage(
		<ConsoleFrame operator={c.var.operator} title="Reports" path="/operator/reports">
			<h1>Reports</h1>
			<Filters command={command} given={given} at="/operator/reports" without={[]} />
			{typeof report === 'string' ? (
				<Failed error={report} />
			) : (
				<>
					<FileLinks command={command} given={given} />
					<Shown report={report} days={given.get('by') === 'day' ? daysOf(given) : 0} />
				</>
			)}
		</ConsoleFrame>,
	);
}

function Shown({ report, days }: { readonly report: Report; readonly days: number }) {
	const lines = report.lines as readonly Row[];
	return (
		<>
			<Card title="Together">
				<div class="grid">
					<Figure value={String(report.orders)} label={report.orders === 1 ? 'order' : 'orders'} />
					<Figure value={`$${report.volumeUsd}`} label="volume" />
					<Figure value={`$${report.houseUsd}`} label="house earnings" />
					<Figure value={report.leanUsd.replace(/^-?/, '$&$')} label="of it by leans" />
					<Figure value={`$${report.marginUsd}`} label="partners’ margin" />
					<Figure value={`$${report.networkFeeUsd}`} label="network fees" />
				</div>
			</Card>
			{days > 0 && (
				<Card title="Day by day">
					<div class="grid halves">
						<Plot title="Volume" unit="US dollars" points={pointsOf(lines, 'volumeUsd', 'USD', days)} />
						<Plot title="House earnings" unit="US dollars" points={pointsOf(lines, 'houseUsd', 'USD', days)} />
						<Plot title="Orders" unit="orders" points={pointsOf(lines, 'orders', '', days)} />
					</div>
				</Card>
			)}
			<RowsSection title="Lines" rows={lines} empty="No order was settled in these days." />
			<RowsSection title="Network fees" rows={report.networkFees} empty="None." />
			<RowsSection title="Leans" rows={report.leans} empty="None." />
			<RowsSection title="Exposure" rows={report.exposure} empty="None." />
		</>
	);
}

/** The days of the plots: from the first that is asked for up to today. */
function daysOf(given: URLSearchParams): number {
	const now = Date.now();
	const since = momentOf(given.get('since') ?? '', now) ?? now;
	return Math.min(
		MOST_DAYS,
		Math.max(1, Math.floor(now / DAY_MILLISECONDS) - Math.floor(since / DAY_MILLISECONDS) + 1),
	);
}

const pointsOf = (lines: readonly Row[], field: string, unit: string, days: number) =>
	dayPoints(
		new Map(lines.map((line) => [String(line['day']), String(line[field])])),
		{ count: days, now: Date.now() },
		{ unit, nothing: `0 ${unit}` },
	);
