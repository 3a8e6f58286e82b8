/** The states of an order that its page tells apart, and the first words of each. */
import type { Tone } from '../parts/state.tsx';

export type Kind =
	| 'pay'
	| 'checking'
	| 'confirming'
	| 'dropped'
	| 'sending'
	| 'paused'
	| 'slow'
	| 'unpriced'
	| 'done'
	| 'decide'
	| 'chosen'
	| 'held'
	| 'returning'
	| 'returned'
	| 'late'
	| 'closed'
	| 'expired';

export interface Story {
	readonly kind: Kind;
	readonly tone: Tone;
	/** The state in a word or two. */
	readonly word: string;
	readonly headline: string;
	readonly next: string;
}
