/** The decisions that only the operator can take. Asked once: the next setup of this clone remembers the answers. */
import { BY_NAME } from '../../../configuration/variables.ts';
import { type Account, read } from './account.ts';
import { askForArchive } from './archive-bucket.ts';
import { askForConsoleAccess, type ConsoleAccess } from './console-access.ts';
import type { Deployment } from './deployment.ts';
import { askForMonero, type Monero } from './monero.ts';
import type { SetupOptions } from './options.ts';
import { noPlace, type Place, placeList, placeNamed } from './places.ts';
import type { Memory } from './remembered.ts';
import { Stopped, type Talk, Wrong } from './talk.ts';

/** Null: not known yet, in a dry run. */
export interface Answers {
	readonly domain: string | null;
	readonly place: Place | null;
	/** US dollars a day, of a deployment that may get real coins. */
	readonly dailyCapUsd: string | null;
	/** Null: later, or the pages Worker has it. */
	readonly consoleAccess: ConsoleAccess | null;
	/** Where payers ask for help whose partner named nobody. Null: nobody, and in staging. */
	readonly supportContact: string | null;
	/** Null: in staging too. */
	readonly monero: Monero | null;
	/** Do finished orders move to R2? Null: later. */
	readonly archive: boolean | null;
}

const HOST = /^(?=.{4,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/;
const DEFAULT_CAP_USD = '10000';
const MOST_DIGITS = 9;

/** The answers that the command line and earlier setups gave. @throws Stopped where that makes no sense */
export function answersKnown(options: SetupOptions, { known }: Memory): Answers {
	const domain = options.domain?.toLowerCase() ?? known.domain ?? null;
	if (domain !== null && !HOST.test(domain)) throw new Stopped(noHost(domain));
	const name = options.location ?? known.location ?? null;
	const place = name === null ? null : placeNamed(name);
	if (name !== null && place === null) throw new Stopped(noPlace(name));
	const { dailyCapUsd = null, consoleAccess = null, archive = null } = known;
	const monero = options.monero && options.monero !== known.monero?.wallets ? null : (known.monero ?? null);
	const supportContact = known.supportContact || null;
	return { domain, place, dailyCapUsd, consoleAccess, supportContact, monero, archive };
}

export async function askForAnswers(
	options: SetupOptions,
	{
		account,
		talk,
		memory,
		deployment,
	}: { readonly account: Account; readonly talk: Talk; readonly memory: Memory; readonly deployment: Deployment },
): Promise<Answers> {
	const known = answersKnown(options, memory);
	const domain = known.domain ?? (await askForDomain(account, talk));
	if (known.domain) await requireZone(account, known.domain);
	if (!known.place)
		talk.say(
			`Where are most of your partners? Database and objects are created there, and do not move later.\n${placeList()}`,
		);
	const location =
		options.location ??
		memory.known.location ??
		(await talk.ask('Place:', (name) => (placeNamed(name) ? name.toLowerCase() : new Wrong(noPlace(name)))));
	const dailyCapUsd = known.dailyCapUsd ?? (deployment.environment === 'staging' ? null : await askForCap(talk));
	const consoleAccess = await askForConsoleAccess(account, talk, memory.known.consoleAccess, deployment);
	const isStaging = deployment.environment === 'staging';
	const supportContact = isStaging ? '' : (memory.known.supportContact ?? (await askForSupport(talk)));
	const monero = isStaging ? null : (known.monero ?? (await askForMonero(talk, options.monero)));
	const told = {
		...(dailyCapUsd && { dailyCapUsd }),
		...(consoleAccess && { consoleAccess }),
		...(!isStaging && { supportContact }),
		...(monero && { monero }),
	};
	memory.keep({ accountId: account.id, domain, location, ...told });
	const place = placeNamed(location);
	const archive = await askForArchive(account, talk, memory, place);
	return { domain, place, dailyCapUsd, consoleAccess, supportContact: supportContact || null, monero, archive };
}

const askForDomain = (account: Account, talk: Talk): Promise<string> =>
	talk.ask('Domain of the service, as swap.example.com:', async (answer) => {
		const host = answer.toLowerCase();
		if (!HOST.test(host)) return new Wrong(noHost(answer));
		const zone = await zoneOf(account, host);
		return typeof zone === 'string' ? new Wrong(zone) : host;
	});

const askForCap = (talk: Talk): Promise<string> =>
	talk.ask(`The most that the signer may pay out in a day, in US dollars? [${DEFAULT_CAP_USD}]`, (answer) => {
		if (answer === '') return DEFAULT_CAP_USD;
		const isAmount = /^[1-9]\d*$/.test(answer) && answer.length <= MOST_DIGITS;
		return isAmount ? answer : new Wrong('A whole number of dollars, above 0 and below 1000000000.');
	});

const askForSupport = (talk: Talk): Promise<string> => {
	const form = BY_NAME.get('SUPPORT_CONTACT')?.form;
	const question =
		'Where do payers ask for help whose partner named nobody? A mail or https: address (Enter: nowhere):';
	return talk.ask(question, (answer) =>
		answer === '' || !form || form.matches.test(answer) ? answer : new Wrong(`This is not ${form.words}.`),
	);
};

const noHost = (text: string): string => `${text || 'An empty answer'} is no host name like swap.example.com.`;

export interface Zone {
	readonly id: string;
	readonly name: string;
	readonly status: string;
}

/** The zone of the account that a host is in, or what is wrong. */
export async function zoneOf(account: Account, host: string): Promise<Zone | string> {
	const labels = host.split('.');
	for (let first = 0; first < labels.length - 1; first++) {
		const name = labels.slice(first).join('.');
		const path = `/zones?name=${name}&account.id=${account.id}`;
		const [zone] = await read<readonly Zone[]>(account, path, 'list the zones');
		if (!zone) continue;
		if (zone.status === 'active') return zone;
		return `The zone ${zone.name} is ${zone.status}, not active: let its registrar name Cloudflare's name servers first.`;
	}
	return `No zone of this account contains ${host}: add its domain at https://dash.cloudflare.com/${account.id}/add-site first.`;
}

async function requireZone(account: Account, host: string): Promise<void> {
	const zone = await zoneOf(account, host);
	if (typeof zone === 'string') throw new Stopped(zone);
}
