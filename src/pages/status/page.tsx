/** `/status`: the networks and the prices, now and over the last 90 days. */
import type { ServiceStatus, SubjectNow } from '../../ports/desk.ts';
import { KEPT_DAYS } from '../../status/status.ts';
import { Days } from '../parts/days.tsx';
import { Layout } from '../parts/layout.tsx';
import { Card, Note, Time } from '../parts/parts.tsx';
import { Icon, State } from '../parts/state.tsx';
import { duration, everyDay, percent, shareBps } from './days.ts';
import type { SubjectDay } from './store.ts';
import { detailOf, headline, STATES } from './words.ts';

interface Props {
	/** Null where it cannot be read. */
	readonly status: ServiceStatus | null;
	readonly days: readonly SubjectDay[];
	/** Unix milliseconds. */
	readonly now: number;
}

export function StatusPage({ status, days, now }: Props) {
	const { tone, text } = headline(status);
	const bySubject = Map.groupBy(days, ({ subject }) => subject);
	// A part that does not work comes first.
	const subjects = status?.subjects.toSorted((a, b) => Number(a.state === 'ok') - Number(b.state === 'ok'));
	const names = subjects ? subjects.map(({ subject }) => subject) : [...bySubject.keys()];
	return (
		<Layout title={text} path="/status" width="text">
			<h1>{text}</h1>
			<Note tone={tone}>
				<p class="row">
					<Icon tone={tone} />
					<span>
						Checked <Time at={status?.at ?? now} />. Reload to check again.
					</span>
				</p>
			</Note>
			{status && status.soldOut.length > 0 && (
				<Note tone="warn">
					<p>{`Sold out for now: ${status.soldOut.join(', ')}. No new order is paid in them until their reserves are filled again.`}</p>
				</Note>
			)}
			<section class="stack" aria-label="Parts">
				{names.map((name) => (
					<Part
						name={name}
						subject={subjects?.find(({ subject }) => subject === name)}
						counts={bySubject.get(name) ?? []}
						now={now}
					/>
				))}
			</section>
			<p class="small soft">
				Each bar is a day in UTC, the last {KEPT_DAYS} of them, today on the right. A whole bar: it worked in every
				minute that was checked. A shorter one: in some it did not. A dot: nothing was checked. Shares are rounded down.
				The same for programs: <a href="/status.json">/status.json</a>.
			</p>
		</Layout>
	);
}

interface PartProps {
	readonly name: string;
	readonly subject: SubjectNow | undefined;
	readonly counts: readonly SubjectDay[];
	readonly now: number;
}

function Part({ name, subject, counts, now }: PartProps) {
	const bps = shareBps(counts);
	const [tone, word] = subject ? STATES[subject.state] : (['plain', 'Not known'] as const);
	const bars = everyDay(counts, now).map((count) => {
		if (count.minutesOk === null) return { title: `${count.day}: not checked`, share: null };
		const { day, minutesOk, minutesBad } = count;
		return { title: `${day}: did not work for ${duration(minutesBad)}`, share: minutesOk / (minutesOk + minutesBad) };
	});
	const said =
		bps === null ? 'not checked yet' : `worked in ${percent(bps)} of the minutes checked in ${KEPT_DAYS} days`;
	return (
		<Card>
			<div class="row ends">
				<h2>{name}</h2>
				<State tone={tone} word={word} />
			</div>
			{subject && subject.state !== 'ok' && (
				<p>
					{detailOf(subject)}
					{subject.state === 'silent' && subject.lastAt !== null && (
						<>
							{' '}
							Last seen <Time at={subject.lastAt} />.
						</>
					)}
				</p>
			)}
			<Days label={`${name} ${said}`} bars={bars} />
			<div class="row ends small soft">
				<span>{`${KEPT_DAYS} days ago`}</span>
				<span>{bps === null ? 'Not checked yet' : percent(bps)}</span>
				<span>Today</span>
			</div>
			<BadDays counts={counts} />
		</Card>
	);
}

/** The days that were not whole, as a table. */
function BadDays({ counts }: Pick<PartProps, 'counts'>) {
	const bad = counts.filter(({ minutesBad }) => minutesBad > 0).toReversed();
	if (bad.length === 0) return null;
	return (
		<details>
			<summary class="small">
				{bad.length === 1 ? 'One day was not whole' : `${bad.length} days were not whole`}
			</summary>
			<table>
				<thead>
					<tr>
						<th scope="col">Day (UTC)</th>
						<th scope="col" class="number">
							Did not work for
						</th>
						<th scope="col" class="number">
							Worked
						</th>
					</tr>
				</thead>
				<tbody>
					{bad.map((count) => (
						<tr>
							<th scope="row">{count.day}</th>
							<td class="number">{duration(count.minutesBad)}</td>
							<td class="number">{percent(shareBps([count]) ?? 0)}</td>
						</tr>
					))}
				</tbody>
			</table>
		</details>
	);
}
