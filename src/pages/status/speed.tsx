/** How fast orders are paid and sent back, for people and for programs (book: networks, "How fast it is"). */
import { DAY_MILLISECONDS, isoTime, utcDay } from '../../platform/time.ts';
import { ALL, SPEED_DAYS } from '../../status/status.ts';
import type { SpeedRow } from '../../status/table.ts';
import { tookText } from '../order/words.ts';
import { useSay } from '../parts/speech.tsx';
import { Table } from '../parts/table.tsx';
import type { Say } from '../say.ts';

/** Longer times are said in minutes. */
const MOST_SECONDS = 100;

const hasFigure = ({ payoutHalf, refundHalf, attendedBps }: SpeedRow): boolean =>
	payoutHalf !== null || refundHalf !== null || attendedBps !== null;

export function Speed({ rows }: { readonly rows: readonly SpeedRow[] }) {
	const say = useSay();
	const told = rows.filter(hasFigure).toSorted((a, b) => Number(b.subject === ALL) - Number(a.subject === ALL));
	const [first] = told;
	return (
		<div class="stack">
			<h2>{say('status.speed')}</h2>
			{first && (
				<p class="small soft">
					{say('status.speedSays', { days: SPEED_DAYS, day: say.day(utcDay(first.until - DAY_MILLISECONDS)) })}
				</p>
			)}
			<Table
				label={say('status.speed')}
				rows={told}
				empty={say('status.speedFew')}
				columns={[
					{
						head: say('status.network'),
						cell: ({ subject }) => (subject === ALL ? say('status.allNetworks') : <bdi>{subject}</bdi>),
					},
					{ head: say('status.speedPayout'), cell: (row) => <Times half={row.payoutHalf} most={row.payoutMost} /> },
					{ head: say('status.speedReturn'), cell: (row) => <Times half={row.refundHalf} most={row.refundMost} /> },
					{
						head: say('status.speedPerson'),
						cell: ({ attendedBps }) => (attendedBps === null ? <Few /> : say.percent(attendedBps)),
					},
				]}
			/>
		</div>
	);
}

const Few = () => <span class="soft">{useSay()('status.speedFew')}</span>;

function Times({ half, most }: { readonly half: number | null; readonly most: number | null }) {
	const say = useSay();
	if (half === null || most === null) return <Few />;
	return (
		<>
			{timeText(say, half)}
			<br />
			<span class="small soft">{say('status.speedMost', { time: timeText(say, most) })}</span>
		</>
	);
}

/** Seconds and minutes are rounded up. */
function timeText(say: Say, milliseconds: number): string {
	const seconds = secondsOf(milliseconds);
	return seconds < MOST_SECONDS ? say('time.seconds', { seconds }) : tookText(say, Math.ceil(seconds / 60) * 60);
}

const secondsOf = (milliseconds: number): number => Math.ceil(milliseconds / 1_000);

const secondsOrNull = (milliseconds: number | null): number | null =>
	milliseconds === null ? null : secondsOf(milliseconds);

/** Null: nothing was counted yet. Each figure is null where there were too few. */
export function speedDocument(rows: readonly SpeedRow[]) {
	const [first] = rows;
	if (!first) return null;
	return {
		days: SPEED_DAYS,
		until: isoTime(first.until),
		networks: rows.map((row) => ({
			name: row.subject,
			payoutSeconds: { p50: secondsOrNull(row.payoutHalf), p95: secondsOrNull(row.payoutMost) },
			refundSeconds: { p50: secondsOrNull(row.refundHalf), p95: secondsOrNull(row.refundMost) },
			attendedBps: row.attendedBps,
		})),
	};
}
