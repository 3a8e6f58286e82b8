/**
 * An operator's next step to replace a secret while the service runs: the commands of `keys plan`. The new secret is
 * made and kept by the operator; nothing here shows one. Pure.
 */
import type { KeyNumbers } from '../crypto/key-ring.ts';
import { isoTime } from '../platform/time.ts';
import type { REPLACED } from './topics/keys.ts';

/** Time to set it in each Worker, and for objects to take it: a busy one keeps its old variables for five minutes. */
const LEAD_SECONDS = 30 * 60;

const BULK = 'npx wrangler secret bulk new.json --env=""';
type Replaced = (typeof REPLACED)[number];

/** Those that have SEAL_KEY beside the API Worker. */
const SEALING = ['agents', 'signer'];

const again = (name: Replaced, isLeaked = false) => `npx exchange keys plan ${name}${isLeaked ? ' --leaked' : ''}`;
const put = (values: Readonly<Record<string, string | null>>) =>
	`write into the file new.json: ${JSON.stringify(values)}`;
const upload = (name: Replaced): string[] => [
	BULK,
	...(name === 'SEAL_KEY' ? SEALING.map((worker) => `${BULK} -c src/${worker}/wrangler.toml`) : []),
	'remove new.json',
];
const MAKE = 'make it and keep it where you keep secrets: openssl rand -base64 32';
const NEW = 'the new one';
const CLOSE = 'npx exchange site update --maintenance on';
const OPEN = 'npx exchange site update --maintenance off';

/** At once: until each Worker has it, and the lists are confirmed, nothing that the leaked key made counts. */
export function leakPlan(ring: KeyNumbers, old: number): string[] {
	const { name, current, previous, leaked } = ring;
	if (leaked.length === 0) {
		const before = previous ? 'the newer of the two before, a comma, the older one' : 'the one before';
		const values = { [name]: NEW, [`${name}_NUMBER`]: String(current.number + 1), [`${name}_LEAKED`]: before };
		const removed = { [`${name}_NEXT`]: null, [`${name}_PREVIOUS`]: null, [`${name}_CHANGED_AT`]: null };
		const later = `ten minutes later, when every object has it: ${again(name, true)}`;
		return [CLOSE, MAKE, put({ ...values, ...removed }), ...upload(name), later];
	}
	if (old > 0)
		return [
			'npx exchange keys reseal --leaked',
			...(name === 'SECRETS_KEY'
				? ['give each partner that it names new secrets: npx exchange partner replace-secret ID NAME']
				: ['compare each list that it names, then npx exchange keys confirm DIGEST --reason R']),
			again(name, true),
			`what is doubtful for good need not hold this up: then go on with ${lastSteps(name).join('; ')}`,
		];
	return lastSteps(name);
}

const lastSteps = (name: Replaced): string[] => [
	put({ [`${name}_LEAKED`]: null }),
	...upload(name),
	...(name === 'SEAL_KEY' ? ['make a new backup and destroy the older ones: who has the leaked key opens them'] : []),
	'npx exchange doctor',
	'npx exchange audit verify',
	OPEN,
];

export function operatorTokenPlan(isNextSet: boolean, isLeaked: boolean): string[] {
	const name = 'OPERATOR_TOKEN';
	if (isLeaked) {
		const ended = 'the one before is invalid now, and with it every session of the console that it opened';
		const read = 'npx exchange audit verify, then npx exchange audit list: what was done with it';
		return [MAKE, put({ [name]: NEW, [`${name}_NEXT`]: null }), ...upload(name), ended, read];
	}
	if (!isNextSet) {
		const spread = `let everybody use the new one from now on; then ${again(name)}`;
		return [MAKE, put({ [`${name}_NEXT`]: NEW }), ...upload(name), spread];
	}
	return [put({ [name]: NEW, [`${name}_NEXT`]: null }), ...upload(name), 'the one before is invalid now'];
}

/** `old`: rows and free addresses that the older key has sealed. `now`: Unix milliseconds. */
export function keyPlan(
	{ name, current, previous }: KeyNumbers,
	isNextSet: boolean,
	old: number,
	now: number,
): string[] {
	if (previous === null) {
		const changedAt = Math.floor(now / 1000) + LEAD_SECONDS;
		const values = { [`${name}_NEXT`]: NEW, [`${name}_CHANGED_AT`]: String(changedAt) };
		const due = `have done that ten minutes before ${isoTime(changedAt * 1000)}; npx exchange doctor shows whether it holds`;
		return [MAKE, put(values), ...upload(name), due, `after that time: ${again(name)}`];
	}
	if (now < previous.until)
		return [`wait: the new key is used from ${isoTime(previous.until)} on; then ${again(name)}`];
	if (name === 'API_KEY_KEY') return ['nothing: apiKeys of both keys are in the hands of partners, so both stay set'];
	if (old > 0) return ['npx exchange keys reseal', again(name)];
	const unset = isNextSet
		? { [name]: NEW, [`${name}_NUMBER`]: String(current.number), [`${name}_NEXT`]: null }
		: { [`${name}_PREVIOUS`]: null };
	return [put({ ...unset, [`${name}_CHANGED_AT`]: null }), ...upload(name), 'npx exchange doctor'];
}
