/** The payer paid, and nothing shows: they name the transaction, and read what it gave this order's address. */
import { type AssetId, assetOf } from '../../catalog/assets.ts';
import { fromBaseUnits } from '../../money/units.ts';
import type { PayerOrder } from '../../payer/order.ts';
import type { Gave, Named, NamedAnswer } from '../../treasury/strays/named-answer.ts';
import { Field, Note, Send } from '../parts/parts.tsx';
import { shownPlain } from '../parts/plain.ts';
import { useSay } from '../parts/speech.tsx';
import type { Say } from '../say.ts';
import { DeedForm } from './deed.tsx';
import { coinsOn } from './words.ts';

interface Props {
	readonly shown: PayerOrder;
	readonly token: string | null;
	/** Null where none was named just now. */
	readonly named: NamedAnswer | null;
}

const MAX_CHARACTERS = 300;

export function NamedTransaction({ shown: { order }, token, named }: Props) {
	const say = useSay();
	return (
		<details class="card" open={named !== null}>
			<summary>{say('named.title')}</summary>
			<DeedForm id={order.id} token={token} action="named">
				<p>{say('named.hint')}</p>
				<Field name="tx" label={say('named.label')} maxlength={MAX_CHARACTERS} required autocomplete="off" />
				<Send class="plain" text={say('named.send')} />
			</DeedForm>
			{named !== null && (
				<Note tone="warn" alert>
					{textsOf(say, named).map((text) => (
						<p>{text}</p>
					))}
				</Note>
			)}
		</details>
	);
}

function textsOf(say: Say, named: NamedAnswer): string[] {
	if (named === 'no id') return [say('named.noId')];
	if (named === 'used up') return [say('named.usedUp')];
	const gave = named.flatMap(({ network, found }) =>
		typeof found === 'string' ? [] : found.map((each) => gaveText(say, network, each)),
	);
	if (gave.length > 0) return gave;
	const on = (found: Named['found']) => named.filter((each) => each.found === found).map(({ network }) => network);
	const [pending, nothing, silent] = [on('pending'), on('nothing'), on('not answering')];
	const listed = on('listed');
	const all = on('unknown');
	const isUnknown = pending.length + nothing.length + silent.length === 0 && all.length > 0;
	return [
		...pending.map((network) => say('named.pending', { network })),
		...nothing.map((network) => say('named.nothing', { network })),
		...(isUnknown ? [say('named.unknown', { networks: say.list(all) })] : []),
		...listed.map((network) => say('named.listed', { network })),
		...(silent.length > 0 ? [say('named.silent', { networks: say.list(silent) })] : []),
		say('named.kept'),
	];
}

function gaveText(say: Say, network: string, { asset, token, amount: units, is }: Gave): string {
	if (asset === null) return say('named.token', { network, token: shownPlain(token ?? '') });
	const amount = sumOn(asset, units);
	if (is === 'deposit') return say('named.deposit', { amount });
	return is === 'late' ? say('named.late', { amount }) : say('named.stray', { amount });
}

const sumOn = (asset: AssetId, amount: string): string =>
	coinsOn(fromBaseUnits(BigInt(amount), assetOf(asset).decimals), assetOf(asset));
