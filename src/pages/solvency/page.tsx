/** `/solvency`: what is owed and held in the newest proof, and the files by which anybody checks it. */
import { assetOf, isAssetId } from '../../catalog/assets.ts';
import { BPS } from '../../money/bps.ts';
import { fromBaseUnits } from '../../money/units.ts';
import { HOUR_MILLISECONDS } from '../../platform/time.ts';
import type { SolvencyFile, SolvencyStatement } from '../../ports/solvency.ts';
import { coinName } from '../asset-names.ts';
import { Layout } from '../parts/layout.tsx';
import { Note, Section, Time } from '../parts/parts.tsx';
import { grouped } from '../parts/plain.ts';
import { Languages, useSay } from '../parts/speech.tsx';
import { Table } from '../parts/table.tsx';

/** The files beside the page. */
export const FILE_PATH = '/solvency.json';
export const HEADS_PATH = '/solvency-heads.json';
/** An older proof is no proof of now. */
const OLD_MILLISECONDS = 2 * HOUR_MILLISECONDS;
/** Hours that the page lists. */
const SHOWN = 24;
const SHARE_OF_ALL = BigInt(BPS);

interface Props {
	/** Null until the first proof. */
	readonly file: SolvencyFile | null;
	/** Unix milliseconds. */
	readonly now: number;
}

export function SolvencyPage({ file, now }: Props) {
	const say = useSay();
	return (
		<Layout title={say('solvency.title')} path="/solvency" width="text" languages={<Languages />}>
			<h1>{say('solvency.title')}</h1>
			{file ? <Proof file={file} now={now} /> : <p class="empty card">{say('solvency.noneYet')}</p>}
		</Layout>
	);
}

function Proof({ file, now }: { readonly file: SolvencyFile; readonly now: number }) {
	const say = useSay();
	const { at, unshown } = JSON.parse(file.statement) as SolvencyStatement;
	const parts = unshown.map(({ network, addresses }) =>
		addresses === null ? network : say('solvency.addresses', { count: addresses, network }),
	);
	return (
		<>
			<p>{say.rich('solvency.said', { time: <Time at={Date.parse(at)} /> })}</p>
			{now - Date.parse(at) > OLD_MILLISECONDS && (
				<Note tone="warn">
					<p>{say('solvency.old')}</p>
				</Note>
			)}
			<Sums file={file} />
			<p class="small soft">{say('solvency.signedOnly')}</p>
			{parts.length > 0 && <p class="small soft">{say('solvency.unshown', { parts: say.list(parts) })}</p>}
			<Section title={say('solvency.check')}>
				<p>{say.rich('solvency.checkHow', { link: <a href="/docs/book/solvency">{say('layout.docs')}</a> })}</p>
				<p class="row">
					<a class="button plain" href={FILE_PATH} download="solvency.json">
						{say('solvency.file')}
					</a>
					<a class="button plain" href={HEADS_PATH} download="solvency-heads.json">
						{say('solvency.heads')}
					</a>
				</p>
			</Section>
			<Section title={say('solvency.chain')}>
				<Chain file={file} />
			</Section>
		</>
	);
}

interface Sum {
	readonly asset: string;
	/** Base units. */
	readonly owed: bigint;
	readonly held: bigint;
}

function sumsOf({ statement, reserves }: SolvencyFile): Sum[] {
	const { debts } = JSON.parse(statement) as SolvencyStatement;
	const held = reserves.flatMap(({ holdings }) => holdings);
	return [...new Set([...debts, ...held].map(({ asset }) => asset))]
		.toSorted()
		.map((asset) => ({
			asset,
			owed: BigInt(debts.find((debt) => debt.asset === asset)?.sum ?? 0),
			held: held.reduce((sum, each) => (each.asset === asset ? sum + BigInt(each.amount) : sum), 0n),
		}));
}

const amountOf = (asset: string, units: bigint): string =>
	`${grouped(isAssetId(asset) ? fromBaseUnits(units, assetOf(asset).decimals) : units.toString())} ${coinName(asset)}`;

function Sums({ file }: { readonly file: SolvencyFile }) {
	const say = useSay();
	return (
		<Table
			label={say('solvency.title')}
			rows={sumsOf(file)}
			empty={say('solvency.nothing')}
			columns={[
				{ head: say('solvency.asset'), cell: ({ asset }) => <bdi>{coinName(asset)}</bdi> },
				{ head: say('solvency.owed'), is: 'number', cell: ({ asset, owed }) => <bdi>{amountOf(asset, owed)}</bdi> },
				{ head: say('solvency.held'), is: 'number', cell: ({ asset, held }) => <bdi>{amountOf(asset, held)}</bdi> },
				// Rounded down: nothing is called covered that is not.
				{
					head: say('solvency.share'),
					is: 'number',
					cell: ({ owed, held }) => (owed === 0n ? '' : say.percent(Number((held * SHARE_OF_ALL) / owed))),
				},
			]}
		/>
	);
}

function Chain({ file }: { readonly file: SolvencyFile }) {
	const say = useSay();
	const heads = file.heads.slice(-SHOWN).toReversed();
	return (
		<Table
			label={say('solvency.chain')}
			rows={heads.map(({ statement }) => JSON.parse(statement) as { position: number; digest: string })}
			empty={say('solvency.noneYet')}
			columns={[
				{ head: say('solvency.hour'), cell: ({ position }) => <Time at={position * HOUR_MILLISECONDS} exact /> },
				{
					head: say('solvency.digest'),
					is: 'wrap',
					cell: ({ digest }) => (
						<code dir="ltr" class="small">
							{digest}
						</code>
					),
				},
			]}
		/>
	);
}
