/** A move as a person reads it before they sign: what it is, and each of its facts. Pure. */
import type { Move, MoveKind } from '../../treasury/moves.ts';

const WORDS: Readonly<Record<MoveKind, readonly [title: string, ...facts: string[]]>> = {
	withdrawal: ['Withdraw coins from the hot wallet', 'id', 'asset', 'amount', 'to'],
	adjustment: ['Book a difference of the books to the reserve', 'direction', 'asset', 'amount', 'reason'],
	unattributed: ['Book coins of no order to the reserve', 'direction', 'asset', 'amount', 'reason'],
	'give up': ['Take back a transaction that was never signed', 'transaction', 'order'],
	return: ['Send coins that an order did not ask for to an address that you enter', 'order', 'network', 'asset', 'to'],
	'another payment': ['Say that a transaction was another payment than this return', 'order', 'asset', 'transaction'],
	'confirm restored': ['Let the signer pay what may have been sent', 'orders', 'own', 'looked', 'not'],
};

interface ReadMove {
	readonly title: string;
	readonly facts: readonly (readonly [name: string, value: string])[];
}

/** A move of a newer version is shown as it is. */
export function readMove(move: Move): ReadMove {
	const [kind, ...values] = move;
	const [title, ...names] = WORDS[kind] ?? [String(kind)];
	const facts = values.map((value, i) => [names[i] ?? `fact ${i + 1}`, String(value)] as const);
	return { title, facts: facts.filter(([, value]) => value !== '') };
}
