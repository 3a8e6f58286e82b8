/**
 * The custom domain: the platform makes its DNS record and its certificate. It refuses to take a name from a record or
 * from another Worker until it is told to, and setup tells it to only after a yes. wrangler would tell it unasked.
 */
import { type Answer, must, read } from './account.ts';
import { zoneOf } from './answers.ts';
import { given, type Setup, type Step } from './step.ts';
import { Stopped } from './talk.ts';

/** The platform's codes: the host belongs to another Worker, or has a DNS record. */
const OTHER_WORKER = 100116;
const OTHER_RECORD = 100117;

interface Overrides {
	readonly override_existing_origin?: true;
	readonly override_existing_dns_record?: true;
}

interface CustomDomain {
	readonly hostname: string;
	readonly service: string;
}

export const domain: Step = {
	title: 'Domain',
	does: ({ api }, answers) =>
		`let ${answers.domain ?? 'your domain'} lead to ${api}, with a DNS record and a certificate`,
	async there(setup) {
		const owner = await ownerOf(setup);
		return owner === setup.deployment.api ? `${setup.answers.domain} leads to ${owner}` : null;
	},
	async run(setup) {
		await attach(setup, {});
	},
};

/** The Worker that has the domain. */
async function ownerOf({ account, answers }: Setup): Promise<string | undefined> {
	const path = `workers/domains?hostname=${answers.domain}`;
	const domains = await read<readonly CustomDomain[]>(account, path, 'list the custom domains');
	return domains.find(({ hostname }) => hostname === answers.domain)?.service;
}

async function attach(setup: Setup, overrides: Overrides): Promise<void> {
	const { account, answers, deployment } = setup;
	const hostname = given(answers.domain ?? undefined, 'the domain');
	const zone = await zoneOf(account, hostname);
	if (typeof zone === 'string') throw new Stopped(zone);
	const answer = await account.call('PUT', 'workers/domains', {
		hostname,
		service: deployment.api,
		zone_id: zone.id,
		environment: 'production',
		...overrides,
	});
	const more = await overrideFor(setup, answer, overrides);
	if (more) return attach(setup, { ...overrides, ...more });
	must(answer, `set the domain ${hostname}`);
}

/**
 * The settings that the operator agrees to override after this answer; null where there is nothing to override. @throws
 * Stopped
 */
async function overrideFor(setup: Setup, answer: Answer, already: Overrides): Promise<Overrides | null> {
	if (answer.ok) return null;
	const { domain: host } = setup.answers;
	if (answer.code === OTHER_WORKER && !already.override_existing_origin) {
		await agree(
			setup,
			`${host} leads to the Worker ${(await ownerOf(setup)) ?? 'of another name'}, which would lose it.`,
		);
		return { override_existing_origin: true };
	}
	if (answer.code === OTHER_RECORD && !already.override_existing_dns_record) {
		await agree(setup, `${host} has a DNS record, which would be replaced.`);
		return { override_existing_dns_record: true };
	}
	return null;
}

async function agree({ talk, answers }: Setup, what: string): Promise<void> {
	talk.say(what);
	if (await talk.confirm('Take the name over?')) return;
	throw new Stopped(
		`${answers.domain} stays where it is. Free it, or run setup with --domain and another name; everything else is done`,
	);
}
