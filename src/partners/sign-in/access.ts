/** Links, passkeys and sessions, as the partner's gate knows which of them have ended (`gate/ended-access.ts`). Pure. */
import { sha256Hex } from '../../crypto/tokens.ts';
import type { Access } from '../../ports/gates.ts';
import type { InvitationTerms, PasskeyTerms, SessionTerms } from './seal.ts';

/** Whose gate knows which sessions of the operator console have ended. No partner has this id. */
export const OPERATOR = 'operator';

export const ACCESS_KINDS = ['invitation', 'passkey', 'session'] as const satisfies readonly Access['kind'][];

type Of<Terms extends { readonly createdAt: number }, Name extends keyof Terms> = Pick<Terms, Name | 'createdAt'>;

export const invitationAccess = ({ hash, createdAt }: Of<InvitationTerms, 'hash'>): Access => ({
	kind: 'invitation',
	hash,
	createdAt,
});

export const sessionAccess = ({ hash, createdAt }: Of<SessionTerms, 'hash'>): Access => ({
	kind: 'session',
	hash,
	createdAt,
});

export const passkeyAccess = async ({ id, createdAt }: Of<PasskeyTerms, 'id'>): Promise<Access> => ({
	kind: 'passkey',
	hash: await sha256Hex(id),
	createdAt,
});

/** A session ends with its passkey, which is there at least as long. */
export const accessesOfSession = (terms: SessionTerms): Access[] => [
	sessionAccess(terms),
	{ kind: 'passkey', hash: terms.passkeyHash, createdAt: terms.createdAt },
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
