/** Links, passkeys and sessions, as the partner's gate knows which of them have ended (`gate/ended-access.ts`). Pure. */
import { sha256Hex } from '../../crypto/tokens.ts';
import type { Access } from '../../ports/gates.ts';
import type { InvitationTerms, PasskeyTerms, SessionTerms } from './seal.ts';

/** Whose gate knows which sessions of the operator console have ended. No partner has this id. */
export const OPERATOR = 'operator';

export const ACCESS_KINDS = ['invitation', 'passkey', 'session'] as const satisfies readonly Access['kind'][];

type Of<Terms extends { readonly createdAt: number }, Name extends keyof Terms> = Pick<Terms, Name | 'createdAt'>;

const access = (kind: Access['kind'], hash: string, { createdAt }: Pick<Access, 'createdAt'>): Access => ({
	kind,
	hash,
	createdAt,
});

export const invitationAccess = (terms: Of<InvitationTerms, 'hash'>) => access('invitation', terms.hash, terms);
export const sessionAccess = (terms: Of<SessionTerms, 'hash'>) => access('session', terms.hash, terms);
export const passkeyAccess = async (terms: Of<PasskeyTerms, 'id'>) =>
	access('passkey', await sha256Hex(terms.id), terms);

/** A session ends with its passkey, which is there at least as long. */
export const accessesOfSession = (terms: SessionTerms): Access[] => [
	sessionAccess(terms),
	access('passkey', terms.passkeyHash, terms),
];

/** Those that have not ended: rows that a database has again, because it was set back, are not shown. */
export async function stillOpen<Row>(
	ask: (asked: readonly Access[]) => Promise<readonly boolean[]>,
	rows: readonly Row[],
	accessOf: (row: Row) => Access | Promise<Access>,
): Promise<Row[]> {
	if (rows.length === 0) return [];
	const ended = await ask(await Promise.all(rows.map(accessOf)));
	return rows.filter((_, i) => ended[i] === false);
}
