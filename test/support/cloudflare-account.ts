/**
 * Stands in for the API of a Cloudflare account, as far as `setup` and the real wrangler ask it. It records each call,
 * and runs the queries of D1 on SQLite. What it holds is plain state that a test may set and read.
 */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';

export const ACCOUNT_ID = 'a0000000000000000000000000000001';
const HOST = '127.0.0.1';
const VERSION = '0'.repeat(32);
/** What a version with static assets names them by. */
const UPLOADED = 'e30.e30.e30';

export interface Script {
	readonly secrets: Map<string, string>;
	bindings: readonly { readonly type: string; readonly name: string }[];
}

interface Database {
	readonly uuid: string;
	readonly name: string;
	readonly settings: unknown;
	replication: 'auto' | 'disabled';
	readonly sqlite: DatabaseSync;
}

interface Uploaded {
	readonly type: string;
	readonly name: string;
	readonly text?: string;
	/** What a service or an object of another Worker is bound to. */
	readonly service?: string;
	readonly script_name?: string;
}

class Failure {
	readonly status: number;
	readonly code: number;
	readonly message: string;

	constructor(status: number, code: number, message: string) {
		this.status = status;
		this.code = code;
		this.message = message;
	}
}

/** An answer without the envelope of the others. */
class Plain {
	readonly data: unknown;

	constructor(data: unknown) {
		this.data = data;
	}
}

const noWorker = () => new Failure(404, 10007, 'This Worker does not exist on your account.');
const noR2 = () => new Failure(403, 10042, 'Please enable R2 through the Cloudflare Dashboard.');
const denied = () => new Failure(403, 10000, 'Authentication error');

interface Asked {
	readonly url: URL;
	/** Parts of the path that the route names. */
	readonly part: (i: number) => string;
	readonly json: () => Record<string, unknown>;
	readonly form: () => Promise<FormData>;
}

type Route = readonly [call: RegExp, answer: (asked: Asked) => unknown];

export class CloudflareAccount {
	readonly id: string;
	/** Method and path of each call. */
	readonly calls: string[] = [];
	readonly scripts = new Map<string, Script>();
	readonly databases: Database[] = [];
	readonly namespaces: { readonly id: string; readonly title: string }[] = [];
	readonly queues: { readonly queue_id: string; readonly queue_name: string; readonly consumers: unknown[] }[] = [];
	/** What runs in containers, as it was created. */
	readonly containers: Record<string, unknown>[] = [];
	/** Worker to the paths of its static assets. */
	readonly assets = new Map<string, readonly string[]>();
	/** Worker to its crons. */
	readonly schedules = new Map<string, unknown>();
	/** Host to Worker. */
	readonly domains = new Map<string, string>();
	/** Hosts that have a DNS record of their own. */
	readonly records = new Set<string>();
	/** Null: the login may not read them. */
	plans: readonly string[] | null = ['workers_paid'];
	zoneStatus = 'active';
	/** Null: nobody has opened Workers in this account yet. */
	subdomain: string | null = 'example';
	isAnalyticsEngineOn = true;
	/** Null: R2 is off. */
	buckets: string[] | null = [];
	/** Calls that the login may not make. */
	denied: RegExp | null = null;
	/** The next call like this fails once. */
	failOnce: RegExp | null = null;

	constructor(id = ACCOUNT_ID) {
		this.id = id;
	}

	/** Calls that change the account; queries of the database excepted. */
	changes(): string[] {
		return this.calls.filter((call) => !call.startsWith('GET ') && !call.endsWith('/query'));
	}

	async answer(method: string, url: URL, body: Buffer, type: string): Promise<unknown> {
		const call = `${method} ${url.pathname.replace('/client/v4', '').replace(`/accounts/${this.id}`, '')}`;
		this.calls.push(call);
		if (this.denied?.test(call)) return denied();
		if (this.failOnce?.test(call)) {
			this.failOnce = null;
			return new Failure(400, 10013, 'An unknown error has occurred.');
		}
		for (const [pattern, answer] of this.#routes) {
			const match = pattern.exec(call);
			if (!match) continue;
			const part = (i: number) => decodeURIComponent(match[i] ?? '');
			const json = () => JSON.parse(String(body)) as Record<string, unknown>;
			const form = () => new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData();
			return answer({ url, part, json, form });
		}
		return new Failure(404, 7003, `the stand-in knows no ${call}`);
	}

	readonly #routes: readonly Route[] = [
		[/^GET \/user$/, () => ({ id: 'u', email: 'operator@example.com' })],
		[/^GET \/user\/tokens\/verify$/, () => ({ id: 't', status: 'active' })],
		[/^GET \/(?:accounts|memberships)$/, () => [{ id: this.id, name: 'Example Ltd', account: { id: this.id } }]],
		[/^GET \/subscriptions$/, () => this.plans?.map((id) => ({ rate_plan: { id, public_name: id } })) ?? denied()],
		[/^GET \/zones$/, ({ url }) => this.#zones(url.searchParams.get('name'))],
		[/^GET \/analytics_engine\/sql$/, () => (this.isAnalyticsEngineOn ? new Plain({ data: [], rows: 0 }) : denied())],
		...this.#ofStorage(),
		...this.#ofWorkers(),
		...this.#ofContainers(),
	];

	#zones(name: string | null) {
		return name === null || name === 'example.com'
			? [{ id: 'zone', name: 'example.com', status: this.zoneStatus }]
			: [];
	}

	#ofStorage(): Route[] {
		const list = ({ url }: Asked) => {
			const name = url.searchParams.get('name') ?? '';
			return this.databases
				.filter((one) => one.name.includes(name))
				.map(({ uuid, name: title }) => ({ uuid, name: title }));
		};
		const one = (name: string) => this.databases.find((each) => each.uuid === name || each.name === name);
		return [
			[/^GET \/d1\/database$/, list],
			[/^GET \/d1\/database\/([^/]+)$/, ({ part }) => shownDatabase(one(part(1)))],
			[/^PUT \/d1\/database\/([^/]+)$/, ({ part, json }) => shownDatabase(replicated(one(part(1)), json()))],
			[/^POST \/d1\/database$/, ({ json }) => this.#createDatabase(json())],
			[/^POST \/d1\/database\/([^/]+)\/query$/, ({ part, json }) => runQuery(one(part(1)), json())],
			[/^GET \/storage\/kv\/namespaces$/, () => this.namespaces],
			[/^POST \/storage\/kv\/namespaces$/, ({ json }) => this.#createNamespace(String(json()['title']))],
			[/^GET \/r2\/buckets$/, () => (this.buckets ? { buckets: this.buckets.map((name) => ({ name })) } : noR2())],
			[/^POST \/r2\/buckets$/, ({ json }) => this.#createBucket(String(json()['name']))],
			[/^GET \/r2\/buckets\/([^/]+)$/, ({ part }) => this.#bucket(part(1))],
			[/^GET \/queues$/, ({ url }) => this.#queuesNamed(url.searchParams.get('name'))],
			[/^POST \/queues$/, ({ json }) => this.#createQueue(String(json()['queue_name']))],
			[/^POST \/queues\/([^/]+)\/consumers$/, ({ part, json }) => this.#consume(part(1), json())],
		];
	}

	#createDatabase({ name, ...settings }: Record<string, unknown>) {
		if (this.databases.some((one) => one.name === name)) return new Failure(400, 7502, 'database already exists');
		const uuid = `d1-${this.databases.length + 1}`;
		this.databases.push({
			uuid,
			name: String(name),
			settings,
			replication: 'disabled',
			sqlite: new DatabaseSync(':memory:'),
		});
		return { uuid, name };
	}

	#bucket(name: string) {
		if (!this.buckets) return noR2();
		return this.buckets.includes(name) ? { name } : new Failure(404, 10006, 'The specified bucket does not exist.');
	}

	#createBucket(name: string) {
		this.buckets?.push(name);
		return this.#bucket(name);
	}

	#createNamespace(title: string) {
		if (this.namespaces.some((one) => one.title === title))
			return new Failure(400, 10014, 'a namespace with this account ID and title already exists');
		const id = `kv-${this.namespaces.length + 1}`;
		this.namespaces.push({ id, title });
		return { id, title };
	}

	#queuesNamed(name: string | null) {
		return this.queues
			.filter(({ queue_name }) => name === null || queue_name === name)
			.map((queue) => ({ ...queue, producers: [] }));
	}

	#createQueue(name: string) {
		const queue = { queue_id: `queue-${this.queues.length + 1}`, queue_name: name, consumers: [] };
		this.queues.push(queue);
		return queue;
	}

	#consume(id: string, consumer: unknown) {
		this.queues.find(({ queue_id }) => queue_id === id)?.consumers.push(consumer);
		return consumer;
	}

	#schedule(name: string, crons: unknown) {
		this.schedules.set(name, crons);
		return { schedules: crons };
	}

	#ofWorkers(): Route[] {
		const script = (name: string) => this.scripts.get(name);
		const names = (secrets: Map<string, string>) => [...secrets.keys()].map((name) => ({ name, type: 'secret_text' }));
		return [
			[
				/^GET \/workers\/subdomain$/,
				() => (this.subdomain ? { subdomain: this.subdomain } : new Failure(404, 10007, 'not found')),
			],
			[/^GET \/workers\/scripts$/, () => [...this.scripts.keys()].map((id) => ({ id }))],
			[
				/^GET \/workers\/scripts\/([^/]+)\/secrets$/,
				({ part }) => {
					const found = script(part(1));
					return found ? names(found.secrets) : noWorker();
				},
			],
			[
				/^GET \/workers\/scripts\/([^/]+)\/settings$/,
				({ part }) => {
					const found = script(part(1));
					return found ? { bindings: [...found.bindings, ...names(found.secrets)] } : noWorker();
				},
			],
			[
				/^GET \/workers\/scripts\/([^/]+)\/deployments$/,
				({ part }) => (script(part(1)) ? { deployments: [] } : noWorker()),
			],
			[
				/^GET \/workers\/services\/([^/]+)$/,
				({ part }) =>
					script(part(1))
						? { default_environment: { environment: 'production', script: { last_deployed_from: 'wrangler' } } }
						: noWorker(),
			],
			[/^PUT \/workers\/scripts\/([^/]+)$/, ({ part, form }) => this.#upload(part(1), form)],
			[/^POST \/workers\/scripts\/([^/]+)\/assets-upload-session$/, ({ part, json }) => this.#begin(part(1), json())],
			[/^POST \/workers\/assets\/upload$/, () => ({ jwt: UPLOADED })],
			[/^PATCH \/workers\/scripts\/[^/]+\/script-settings$/, () => ({})],
			[
				/^GET \/workers\/workers\/([^/]+)$/,
				({ part }) => ({ name: part(1), subdomain: { enabled: false, previews_enabled: false } }),
			],
			[
				/^GET \/workers\/scripts\/([^/]+)\/schedules$/,
				({ part }) => ({ schedules: this.schedules.get(part(1)) ?? [] }),
			],
			[/^PUT \/workers\/scripts\/([^/]+)\/schedules$/, ({ part, json }) => this.#schedule(part(1), json())],
			[/^(?:GET|POST) \/workers\/scripts\/[^/]+\/subdomain$/, () => ({ enabled: false, previews_enabled: false })],
			[/^GET \/workers\/domains$/, ({ url }) => this.#domainsNamed(url.searchParams.get('hostname'))],
			[/^PUT \/workers\/domains$/, ({ json }) => this.#attach(json())],
		];
	}

	/** The image itself goes to the registry, by Docker. */
	#ofContainers(): Route[] {
		const most = { vcpu_per_deployment: 4, memory_mib_per_deployment: 12_288, disk_mb_per_deployment: 20_000 };
		const bindingsOf = (name: string) =>
			this.scripts.get(name)?.bindings.map((binding) => ({ ...binding, namespace_id: binding.name }));
		return [
			[/^GET \/containers\/me$/, () => ({ external_account_id: this.id, limits: most })],
			[/^POST \/containers\/registries\/[^/]+\/credentials$/, () => ({ username: 'v1', password: 'pushes' })],
			[
				/^GET \/workers\/scripts\/([^/]+)\/versions\/[^/]+$/,
				({ part }) => ({ resources: { bindings: bindingsOf(part(1)) } }),
			],
			[/^GET \/containers\/applications$/, () => this.containers],
			[/^POST \/containers\/applications$/, ({ json }) => this.#contain(json())],
		];
	}

	#contain(application: Record<string, unknown>) {
		this.containers.push(application);
		return { ...application, id: `container-${this.containers.length}` };
	}

	/** It has no file yet, and asks for all of them at once. */
	#begin(name: string, body: Record<string, unknown>) {
		const manifest = body['manifest'] as Readonly<Record<string, { readonly hash: string }>>;
		this.assets.set(name, Object.keys(manifest));
		return { jwt: UPLOADED, buckets: [Object.values(manifest).map(({ hash }) => hash)] };
	}

	/**
	 * As the platform does: code and secrets are one version, secrets that are not named stay, and what it binds to is there.
	 */
	async #upload(name: string, form: () => Promise<FormData>) {
		const metadata = JSON.parse(String((await form()).get('metadata'))) as { readonly bindings: readonly Uploaded[] };
		const absent = metadata.bindings.flatMap(({ service, script_name: owner }) => service ?? owner ?? []);
		const lacking = absent.find((other) => other !== name && !this.scripts.has(other));
		if (!this.isAnalyticsEngineOn && metadata.bindings.some(({ type }) => type === 'analytics_engine'))
			return new Failure(403, 10089, 'You need to enable Analytics Engine.');
		if (lacking) return new Failure(400, 10143, `could not resolve binding: script "${lacking}" not found`);
		const before = this.scripts.get(name);
		const secrets = new Map(before?.secrets);
		for (const { type, name: secret, text = '' } of metadata.bindings)
			if (type === 'secret_text') secrets.set(secret, text);
		const bindings = metadata.bindings.flatMap((binding) =>
			binding.type === 'inherit'
				? (before?.bindings.filter(({ name: kept }) => kept === binding.name) ?? [])
				: [binding],
		);
		this.scripts.set(name, { secrets, bindings });
		return {
			id: name,
			deployment_id: VERSION,
			startup_time_ms: 10,
			default_environment: { environment: 'production' },
		};
	}

	#domainsNamed(host: string | null) {
		return [...this.domains]
			.filter(([hostname]) => host === null || hostname === host)
			.map(([hostname, service]) => ({ id: hostname, hostname, service, environment: 'production' }));
	}

	/** As the platform does: nothing is taken from anybody without the word for it. */
	#attach(body: Record<string, unknown>) {
		const { hostname, service } = body as { hostname: string; service: string };
		const other = this.domains.get(hostname);
		if (other && other !== service && !body['override_existing_origin'])
			return new Failure(409, 100116, `Hostname '${hostname}' already in use by other custom domain.`);
		if (this.records.has(hostname) && !body['override_existing_dns_record'])
			return new Failure(409, 100117, `Hostname '${hostname}' already has externally managed DNS records`);
		this.records.delete(hostname);
		this.domains.set(hostname, service);
		return { hostname, service };
	}
}

function shownDatabase(database: Database | undefined) {
	if (!database) return new Failure(404, 7404, 'not found');
	const { uuid, name, replication: mode } = database;
	return { uuid, name, read_replication: { mode } };
}

function replicated(database: Database | undefined, body: Record<string, unknown>): Database | undefined {
	const { mode } = body['read_replication'] as { readonly mode: Database['replication'] };
	if (database) database.replication = mode;
	return database;
}

function runQuery(database: Database | undefined, { sql, params = [] }: Record<string, unknown>) {
	if (!database) return new Failure(404, 7404, 'not found');
	const values = params as SQLInputValue[];
	try {
		// D1 takes several statements in one text; SQLite prepares one.
		const results =
			values.length > 0 || !/;\s*\S/.test(String(sql)) ? database.sqlite.prepare(String(sql)).all(...values) : [];
		if (values.length === 0 && /;\s*\S/.test(String(sql))) database.sqlite.exec(`BEGIN; ${sql}; COMMIT`);
		return [{ success: true, results, meta: { duration: 0 } }];
	} catch (error) {
		return new Failure(400, 7500, String(error));
	}
}

export interface RunningAccount {
	readonly account: CloudflareAccount;
	readonly url: string;
	stop(): void;
}

/** `others`: further accounts by their tokens; all other tokens are of `account`. */
export async function startCloudflareAccount(
	account = new CloudflareAccount(),
	others: Readonly<Record<string, CloudflareAccount>> = {},
): Promise<RunningAccount> {
	const server = createServer((request, response) => {
		const [, token = ''] = (request.headers.authorization ?? '').split(' ');
		void answered(others[token] ?? account, request).then(({ status, text }) => {
			response.writeHead(status, { 'content-type': 'application/json' }).end(text);
		});
	});
	await new Promise<void>((listening) => server.listen(0, HOST, listening));
	const url = `http://${HOST}:${(server.address() as AddressInfo).port}/client/v4`;
	return { account, url, stop: () => server.close() };
}

async function answered(account: CloudflareAccount, request: IncomingMessage) {
	const parts: Buffer[] = [];
	for await (const part of request) parts.push(part as Buffer);
	const url = new URL(request.url ?? '/', `http://${HOST}`);
	const type = request.headers['content-type'] ?? '';
	const result = await account.answer(request.method ?? '', url, Buffer.concat(parts), type);
	if (result instanceof Plain) return { status: 200, text: JSON.stringify(result.data) };
	if (result instanceof Failure) {
		const errors = [{ code: result.code, message: result.message }];
		return { status: result.status, text: JSON.stringify({ success: false, errors, messages: [], result: null }) };
	}
	const info = { page: 1, per_page: 100, count: Array.isArray(result) ? result.length : 1, total_count: 1 };
	return { status: 200, text: JSON.stringify({ success: true, errors: [], messages: [], result, result_info: info }) };
}
