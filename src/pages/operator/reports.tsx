/** Reports: volume and earnings per day as plots, and the lines of any grouping. */
import type { Context } from 'hono';
import { isRow, type Row } from '../../operator/reading/fields.ts';
import { addedReport } from '../../operator/reading/report.ts';
import { momentOf } from '../../operator/topics/moment.ts';
import { Card, Figure } from '../parts/parts.tsx';
import { Plot } from '../parts/plot.tsx';
import { Rows } from './answer.tsx';
import { answerTo } from './asking.ts';
import { commandOf, type Input, inputOf } from './commands.ts';
import { DAY, dayPoints } from './days.ts';
import { ConsoleFrame, consolePage } from './frame.tsx';
import type { ConsoleEnv } from './operator.ts';
import { Failed, Filters } from './reading.tsx';

const DAYS = 30;
/** More bars than this are too thin to read. */
const MOST_DAYS = 92;
/** Each page of the report is one call; a report of more is for the command line. */
const MOST_PAGES = 40;

type Report = ReturnType<typeof addedReport>;

export async function reportsPage(c: Context<ConsoleEnv>): Promise<Response> {
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
				<Shown report={report} days={given.get('by') === 'day' ? daysOf(given) : 0} />
			)}
		</ConsoleFrame>,
	);
}

/** Or why there is none. */
async function wholeReport(c: Context<ConsoleEnv>, input: Input): Promise<Report | string> {
	const pages: unknown[] = [];
	for (let cursor: unknown; pages.length < MOST_PAGES; ) {
		const answer = await answerTo(c, 'report', cursor === undefined ? input : { ...input, cursor });
		if (!answer.ok) return answer.error;
		pages.push(answer.data);
		cursor = isRow(answer.data) ? answer.data['cursor'] : null;
		if (cursor === null) return addedReport(pages);
	}
	return 'This is more than a page can add up: choose fewer days, or use npx exchange report.';
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
					<Figure value={`$${report.marginUsd}`} label="partners’ margin" />
					<Figure value={`$${report.networkFeeUsd}`} label="network fees" />
				</div>
			</Card>
			{days > 0 && (
				<Card title="Day by day">
					<Plot title="Volume" unit="US dollars" points={pointsOf(lines, 'volumeUsd', 'USD', days)} />
					<Plot title="House earnings" unit="US dollars" points={pointsOf(lines, 'houseUsd', 'USD', days)} />
					<Plot title="Orders" unit="orders" points={pointsOf(lines, 'orders', '', days)} />
				</Card>
			)}
			<Section title="Lines" rows={lines} empty="No order was settled in these days." />
			<Section title="Network fees" rows={report.networkFees} empty="None." />
			<Section title="Exposure" rows={report.exposure} empty="None." />
		</>
	);
}

const Section = ({
	title,
	rows,
	empty,
}: {
	readonly title: string;
	readonly rows: readonly Row[];
	readonly empty: string;
}) => (
	<section class="stack" aria-label={title}>
		<h2>{title}</h2>
		<Rows label={title} rows={rows} empty={empty} />
	</section>
);

/** Of the plots: from the first day that is asked for up to today. */
function daysOf(given: URLSearchParams): number {
	const now = Date.now();
	const since = momentOf(given.get('since') ?? '', now) ?? now;
	return Math.min(MOST_DAYS, Math.max(1, Math.floor(now / DAY) - Math.floor(since / DAY) + 1));
}

const pointsOf = (lines: readonly Row[], field: string, unit: string, days: number) =>
	dayPoints(
		new Map(lines.map((line) => [String(line['day']), String(line[field])])),
		days,
		Date.now(),
		unit,
		`0 ${unit}`,
	);
