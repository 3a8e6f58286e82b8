/** The status in words. Pure. */
import type { ServiceStatus, SubjectNow, SubjectState } from '../../ports/desk.ts';
import { PRICES } from '../../status/status.ts';
import type { Tone } from '../parts/parts.tsx';
import type { MessageKey, Say } from '../say.ts';

export const STATES: Readonly<Record<SubjectState, readonly [Tone, MessageKey]>> = {
	ok: ['good', 'status.ok'],
	silent: ['bad', 'status.silent'],
	paused: ['warn', 'status.paused'],
	'deposits-paused': ['warn', 'status.depositsPaused'],
	'payouts-paused': ['warn', 'status.payoutsPaused'],
	stale: ['bad', 'status.stale'],
};

/** A network's own name; the prices have one in each language. */
export const nameOf = (subject: string, say: Say): string => (subject === PRICES ? say('status.prices') : subject);

export function detailOf({ subject, state, missing }: SubjectNow, say: Say): string {
	const coins = say.list(missing);
	switch (state) {
		case 'ok':
			return say(subject === PRICES ? 'status.pricesOk' : 'status.networkOk');
		case 'stale':
			return say('status.staleNext', { coins, count: missing.length });
		case 'silent':
			return missing.length === 0 ? say('status.silentNext') : say('status.silentSome', { coins });
		case 'paused':
			return say('status.pausedNext');
		case 'deposits-paused':
			return say('status.depositsPausedNext');
		case 'payouts-paused':
			return say('status.payoutsPausedNext');
	}
}

/** More names than these are counted. */
const MOST_NAMES = 3;

/** One sentence that says it all. */
export function headline(status: ServiceStatus | null, say: Say): { readonly tone: Tone; readonly text: string } {
	if (!status) return { tone: 'warn', text: say('status.cannotTell') };
	if (status.maintenance) return { tone: 'warn', text: say('status.maintenance') };
	const wrong = status.subjects.filter(({ state }) => state !== 'ok').map(({ subject }) => nameOf(subject, say));
	if (wrong.length === 0) return { tone: 'good', text: say('status.everything') };
	if (wrong.length === status.subjects.length) return { tone: 'bad', text: say('status.nothing') };
	const counted = say('status.someParts', { count: wrong.length, all: status.subjects.length });
	const parts = wrong.length > MOST_NAMES ? counted : say.list(wrong);
	return { tone: 'bad', text: say('status.everythingBut', { parts }) };
}
