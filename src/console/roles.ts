/** Which group of Cloudflare Access has which role at the console (`ACCESS_ROLES`). Pure. */
import { ROLES, type Role } from '../partners/partner.ts';

export type GroupRoles = readonly { readonly role: Role; readonly group: string }[];

/** `admin=Owners; support=Help desk; view=Staff`: null where nothing is set, `wrong` where it is no such list. */
export function groupRolesIn(text: string): GroupRoles | null | 'wrong' {
	if (text.trim() === '') return null;
	const named = text.split(';').map((part) => {
		const [name = '', ...group] = part.split('=');
		return { role: ROLES.find((role) => role === name.trim()), group: group.join('=').trim() };
	});
	const known = named.flatMap(({ role, group }) => (role && group !== '' ? [{ role, group }] : []));
	return known.length === named.length ? known : 'wrong';
}

/** The highest role that one of the groups has; null for none. Without roles, whom Access admits is an admin. */
export function roleOf(groups: readonly string[], roles: GroupRoles | null): Role | null {
	if (roles === null) return 'admin';
	const held = roles.filter(({ group }) => groups.includes(group));
	return ROLES.findLast((role) => held.some((one) => one.role === role)) ?? null;
}
