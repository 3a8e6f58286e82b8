/** Coins at the order's address that it did not ask for, and where they are now. */
import type { PayerOrder } from '../../payer/order.ts';
import { Address } from '../parts/copyable.tsx';
import { shownPlain } from '../parts/plain.ts';
import { useSay } from '../parts/speech.tsx';
import { Transaction } from './transaction.tsx';
import { coinOn, coinsOn } from './words.ts';

type Stray = PayerOrder['strays'][number];

const NEXT = { FOUND: 'stray.found', HELD: 'stray.held', KEPT: 'stray.kept' } as const;

const UNLISTED_NEXT = {
	FOUND: 'stray.tokenFound',
	RETURNED: 'stray.tokenReturned',
	HELD: 'stray.tokenHeld',
	KEPT: 'stray.tokenKept',
} as const;

export function Strays({ shown }: { readonly shown: PayerOrder }) {
	const say = useSay();
	const asked = coinOn(shown.order.from);
	return (
		<>
			{shown.strays.map((stray) => (
				<div class="note warn">
					{stray.code === null ? (
						<Unlisted stray={stray} asked={asked} />
					) : (
						<>
							<p>{say('stray.sent', { amount: coinsOn(stray.amount, { ...stray, code: stray.code }), asked })}</p>
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
}

function Unlisted({ stray, asked }: { readonly stray: Stray; readonly asked: string }) {
	const say = useSay();
	const { network, token, status } = stray;
	return (
		<>
			<p>{say('stray.token', { asked, network })}</p>
			<p>
				<code>{shownPlain(token ?? '')}</code>
			</p>
			<p>{say(UNLISTED_NEXT[status])}</p>
		</>
	);
}

function Next({ stray: { status, back, network }, code }: { readonly stray: Stray; readonly code: string }) {
	const say = useSay();
	if (status !== 'RETURNED') return <p>{say(NEXT[status])}</p>;
	const amount = coinsOn(back.tx.amount ?? '', { code, network });
	return <p>{say.rich('stray.returned', { amount, address: <Address value={shownPlain(back.address ?? '')} /> })}</p>;
}
