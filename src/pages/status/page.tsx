/** `/status`: the networks and the prices, now and over the last 90 days. */
import type { ServiceStatus, SubjectNow } from '../../ports/desk.ts';
import { KEPT_DAYS } from '../../status/status.ts';
import type { SpeedRow } from '../../status/table.ts';
import { Days } from '../parts/days.tsx';
import { Layout } from '../parts/layout.tsx';
import { Card, Icon, Note, State, Time } from '../parts/parts.tsx';
import { Languages, useSay } from '../parts/speech.tsx';
import type { Say } from '../say.ts';
import { duration, everyDay, shareBps } from './days.ts';
import { Speed } from './speed.tsx';
import type { SubjectDay } from './store.ts';
import { detailOf, headline, nameOf, STATES } from './words.ts';

export interface StatusFacts {
	/** Null where it cannot be read. */
	readonly status: ServiceStatus | null;
	readonly days: readonly SubjectDay[];
	readonly speeds: readonly SpeedRow[];
	/** Unix milliseconds. */
	readonly now: number;
}

export function StatusPage({ status, days, speeds, now }: StatusFacts) {
	const say = useSay();
	const { tone, text } = headline(status, say);
	const bySubject = Map.groupBy(days, ({ subject }) => subject);
	// A part that does not work comes first.
	const subjects = status?.subjects.toSorted((a, b) => Number(a.state === 'ok') - Number(b.state === 'ok'));
	const names = subjects ? subjects.map(({ subject }) => subject) : [...bySubject.keys()];
	return (
		<Layout title={text} path="/status" width="text" languages={<Languages />}>
			<h1>{text}</h1>
			<Note tone={tone}>
				<p class="row">
					<Icon tone={tone} />
					<span>{say.rich('status.checked', { time: <Time at={status?.at ?? now} /> })}</span>
				</p>
			</Note>
			{status && status.soldOut.length > 0 && (
				<Note tone="warn">
					<p>{say('status.soldOut', { assets: say.list(status.soldOut) })}</p>
				</Note>
			)}
			<section class="grid" aria-label={say('status.parts')}>
				{names.map((name) => (
					<Part
						name={name}
						subject={subjects?.find(({ subject }) => subject === name)}
						counts={bySubject.get(name) ?? []}
						now={now}
					/>
				))}
			</section>
			<Speed rows={speeds} />
			<p class="small soft">
				{say('status.legend', { days: KEPT_DAYS })}
				{say.blank}
				{say.rich('status.programs', { link: <JsonLink /> })}
			</p>
		</Layout>
	);
}

const JsonLink = () => (
	<a href="/status.json">
		<bdi dir="ltr">/status.json</bdi>
	</a>
);

interface PartProps {
	/** As `/status.json` has it. */
	readonly name: string;
	readonly subject: SubjectNow | undefined;
	readonly counts: readonly SubjectDay[];
	readonly now: number;
}

function Part({ name, subject, counts, now }: PartProps) {
	const say = useSay();
	const bps = shareBps(counts);
	const [tone, word] = subject ? STATES[subject.state] : (['plain', 'status.unknown'] as const);
	const part = nameOf(name, say);
	const said =
		bps === null ? say('status.neverChecked') : say('status.worked', { share: say.percent(bps), days: KEPT_DAYS });
	return (
		<Card>
			<div class="row ends">
				<h2>
					<bdi>{part}</bdi>
				</h2>
				<State tone={tone} word={say(word)} />
			</div>
			{subject && subject.state !== 'ok' && (
				<p>
					{detailOf(subject, say)}
					{subject.state === 'silent' && subject.lastAt !== null && (
						<>
							{say.blank}
							{say.rich('status.lastSeen', { time: <Time at={subject.lastAt} /> })}
						</>
					)}
				</p>
			)}
			<Days label={say('status.partLabel', { part, said })} bars={barsOf(counts, now, say)} />
			<div class="row ends small soft">
				<span>{say('status.daysAgo', { days: KEPT_DAYS })}</span>
				<span>{bps === null ? say('status.notChecked') : say.percent(bps)}</span>
				<span>{say('status.today')}</span>
			</div>
			<BadDays counts={counts} />
		</Card>
	);
}

const barsOf = (counts: readonly SubjectDay[], now: number, say: Say) =>
	everyDay(counts, now).map((count) => {
		const day = say.day(count.day);
		if (count.minutesOk === null) return { title: say('status.dayUnchecked', { day }), share: null };
		const { minutesOk, minutesBad } = count;
		const title = say('status.dayBad', { day, time: duration(say, minutesBad) });
		return { title, share: minutesOk / (minutesOk + minutesBad) };
	});

/** The days that were not whole, as a table. */
function BadDays({ counts }: Pick<PartProps, 'counts'>) {
	const say = useSay();
	const bad = counts.filter(({ minutesBad }) => minutesBad > 0).toReversed();
	if (bad.length === 0) return null;
	return (
		<details>
			<summary class="small">{say('status.badDays', { days: bad.length })}</summary>
			<table>
				<thead>
					<tr>
						<th scope="col">{say('status.day')}</th>
						<th scope="col" class="number">
							{say('status.notWorking')}
						</th>
						<th scope="col" class="number">
							{say('status.working')}
						</th>
					</tr>
				</thead>
				<tbody>
					{bad.map((count) => (
						<tr>
							<th scope="row">{say.day(count.day)}</th>
							<td class="number">{duration(say, count.minutesBad)}</td>
							<td class="number">{say.percent(shareBps([count]) ?? 0)}</td>
						</tr>
					))}
				</tbody>
			</table>
		</details>
	);
}
