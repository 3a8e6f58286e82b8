/** The status in words. Pure. */
import type { ServiceStatus, SubjectNow, SubjectState } from '../../ports/desk.ts';
import { PRICES } from '../../status/status.ts';
import type { Tone } from '../parts/state.tsx';

export const STATES: Readonly<Record<SubjectState, readonly [Tone, string]>> = {
	ok: ['good', 'Works'],
	silent: ['bad', 'Not answering'],
	paused: ['warn', 'Paused'],
	'deposits-paused': ['warn', 'Deposits paused'],
	'payouts-paused': ['warn', 'Payouts paused'],
	stale: ['bad', 'Not complete'],
};

export function detailOf({ subject, state, missing }: SubjectNow): string {
	const names = missing.join(', ');
	switch (state) {
		case 'ok':
			return subject === PRICES ? 'Every coin has a fresh price.' : 'Deposits are seen, payouts are sent.';
		case 'stale':
			return `No fresh price for ${names}: no new order with ${missing.length === 1 ? 'it' : 'them'} until there is one.`;
		case 'silent':
			return names === ''
				? 'Deposits are not seen right now. No coins are lost: they are counted when the network answers again.'
				: `Deposits of ${names} are not seen right now. They are counted when the network answers again.`;
		case 'paused':
			return 'The operator has paused it. Orders that exist wait.';
		case 'deposits-paused':
			return 'The operator takes no new orders that are paid with it.';
		case 'payouts-paused':
			return 'The operator has paused payouts. They are sent when it is on again.';
	}
}

/** One sentence that says it all. */
export function headline(status: ServiceStatus | null): { readonly tone: Tone; readonly text: string } {
	if (!status) return { tone: 'warn', text: 'We cannot tell right now whether everything works' };
	if (status.maintenance)
		return { tone: 'warn', text: 'New orders are paused for maintenance. Orders that exist go on' };
	const wrong = status.subjects.filter(({ state }) => state !== 'ok').map(({ subject }) => subject);
	if (wrong.length === 0) return { tone: 'good', text: 'Everything works' };
	if (wrong.length === status.subjects.length) return { tone: 'bad', text: 'Nothing works right now' };
	const last = wrong.at(-1);
	const names = wrong.length === 1 ? last : `${wrong.slice(0, -1).join(', ')} and ${last}`;
	const all = wrong.length > 3 ? `${wrong.length} of ${status.subjects.length} parts` : names;
	return { tone: 'bad', text: `Everything works but ${all}` };
}
