/** Roles of groups at the console, and the commands that each may run. */
import { expect, it } from 'vitest';
import { groupRolesIn, roleOf } from '../../src/console/roles.ts';
import { mayRun } from '../../src/operator/roles.ts';
import { pathOf } from '../../src/operator/topic.ts';
import { TOPICS } from '../../src/operator/topics/table.ts';

const ROLES = groupRolesIn('admin=Owners; admin=cn=ops,dc=house; support = Help desk ;view=Staff');

it.each([
	[['Owners'], 'admin'],
	[['cn=ops,dc=house'], 'admin'],
	[['Staff', 'Help desk'], 'support'],
	[['Staff', 'Guests'], 'view'],
	[['staff', 'Owner', ''], null],
	[[], null],
] as const)('%s have the role %s', (groups, role) => {
	if (ROLES === 'wrong') throw new Error('the list is right');
	expect(roleOf(groups, ROLES)).toBe(role);
});

it.each(['admin', 'admin=', 'owner=Owners', 'admin=Owners;'])('“%s” gives no roles: the console stays closed', (text) =>
	expect(groupRolesIn(text)).toBe('wrong'),
);

it('without a list, whom Access admits is an admin', () => {
	expect(groupRolesIn(' ')).toBeNull();
	expect(roleOf([], null)).toBe('admin');
});

it('view runs what reads, support a few more, admin all', () => {
	const commands = Object.entries(TOPICS).flatMap(([topic, { commands }]) =>
		Object.entries(commands).map(([verb, { reads = false }]) => ({ path: pathOf(topic, verb), reads })),
	);
	const runs = (role: 'view' | 'support' | 'admin') => commands.filter(({ path, reads }) => mayRun(role, path, reads));
	expect(runs('view')).toEqual(commands.filter(({ reads }) => reads));
	expect(runs('support').flatMap(({ path, reads }) => (reads ? [] : [path]))).toEqual([
		'order/finalise',
		'order/refund',
		'order/find-stray',
		'webhook/redeliver',
	]);
	expect(runs('admin')).toEqual(commands);
});
