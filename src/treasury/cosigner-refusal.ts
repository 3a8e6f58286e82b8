/** Why the other judge gave no signature, without which no payment of the network is valid (`signer-refusal.ts`). Pure. */
import { afterPerson, byItself } from './refusal-rule.ts';

export interface Detail {
	/** The words of the chain family, the node, the link, or the co-signer's own refusal. */
	readonly detail: string;
}

export const COSIGNER_RULES = {
	'cosigner-unreachable': byItself<Detail>(
		({ detail }) => `${detail}: see that the co-signer runs (book: cosigner, "When it does not sign")`,
	),
	'cosigner-waits': byItself<Detail>(({ detail }) => `the co-signer does not sign yet: ${detail}`),
	'cosigner-set-back': afterPerson<Detail>(
		({ detail }) =>
			`the co-signer's journal is older than it was, or another one, at ${detail}: find out why (book: cosigner, "Losing one")`,
	),
	'cosigner-refuses': afterPerson<Detail>(
		({ detail }) => `the co-signer refuses: ${detail} (book: cosigner, "When it does not sign")`,
	),
} as const;
