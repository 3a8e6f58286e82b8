/** Coins at the order's address that it did not ask for, and where they are now. */
import type { PayerOrder } from '../../payer/order.ts';
import { shownPlain } from '../parts/plain.ts';
import { Transaction } from './transaction.tsx';
import { coinsOn } from './words.ts';

type Stray = PayerOrder['strays'][number];

const NEXT = {
	FOUND: 'We send it back to your refund address, less the network’s fee. Nothing for you to do.',
	HELD: 'It is safe. Somebody decides how it goes back; ask below if this lasts longer than a day.',
	KEPT: 'The network would take more for the way back than it is worth now. It stays on record, and goes back if the fee falls.',
} as const;

const UNLISTED_NEXT = {
	FOUND: 'It is on its way back.',
	RETURNED: 'We sent it back.',
	HELD: 'Nothing sends it back by itself. It is on record, and somebody looks at it; ask below.',
	KEPT: 'Nothing sends it back by itself. Somebody has looked at it; ask below what became of it.',
} as const;

export const Strays = ({ shown }: { readonly shown: PayerOrder }) => (
	<>
		{shown.strays.map((stray) => (
			<div class="note warn">
				{stray.code === null ? (
					<Unlisted stray={stray} shown={shown} />
				) : (
					<>
						<p>{`You sent ${coinsOn(stray.amount, { ...stray, code: stray.code })} to an address for ${askedOf(shown)}. It is no payment of this order.`}</p>
						<Next stray={stray} code={stray.code} />
					</>
				)}
				{stray.back.tx.id && (
					<p>
						<Transaction id={stray.back.tx.id} shown={shown} />
					</p>
				)}
			</div>
		))}
	</>
);

const askedOf = ({ order }: PayerOrder): string => coinsOn('', order.from).trim();

function Unlisted({ stray: { network, token, status }, shown }: { readonly stray: Stray; readonly shown: PayerOrder }) {
	return (
		<>
			<p>{`A token that this service does not know came to an address for ${askedOf(shown)}, on ${network}. It is no payment of this order.`}</p>
			<p>
				<code>{shownPlain(token ?? '')}</code>
			</p>
			<p>{UNLISTED_NEXT[status]}</p>
		</>
	);
}

function Next({ stray: { status, back, network }, code }: { readonly stray: Stray; readonly code: string }) {
	return (
		<p>
			{status === 'RETURNED'
				? `We sent ${coinsOn(back.tx.amount ?? '', { code, network })} back to ${back.address}, less the network’s fee.`
				: NEXT[status]}
		</p>
	);
}
