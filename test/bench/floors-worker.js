/**
 * The floors: bare Workers that make the same storage calls as an endpoint, and nothing else. No check, no envelope that
 * is built, no market. They run in the service's own workerd, on its database.
 */
import { DurableObject } from 'cloudflare:workers';

/** As `partners/gate/spent-nonces.ts`: what arrives in the same turns is committed together. */
export class Bare extends DurableObject {
	#queue = [];

	#isOpen = false;

	#commits = 0;

	nothing() {
		return null;
	}

	async commit(call) {
		const [verdict] = await this.commitAll([call]);
		return verdict;
	}

	commitAll(calls) {
		if (!this.#isOpen) {
			this.#isOpen = true;
			this.ctx.storage.sql.exec(
				'CREATE TABLE IF NOT EXISTS spendings (id INTEGER PRIMARY KEY, at INTEGER NOT NULL, spendings TEXT NOT NULL)',
			);
		}
		return new Promise((committed) => {
			this.#queue.push({ rows: calls.map(({ nonce }) => [nonce, Date.now(), 1]), committed });
			if (this.#queue.length === 1) setTimeout(() => this.#drain(), 0);
		});
	}

	#drain() {
		const drained = this.#queue;
		this.#queue = [];
		const text = JSON.stringify(drained.flatMap(({ rows }) => rows));
		const { sql } = this.ctx.storage;
		sql.exec('INSERT INTO spendings (at, spendings) VALUES (?, ?)', Date.now(), text);
		if (this.#commits++ % 16 === 0) {
			sql.exec('DELETE FROM spendings WHERE id IN (SELECT id FROM spendings ORDER BY id LIMIT 64) AND at <= 0');
		}
		for (const { rows, committed } of drained) committed(rows.map(() => ({ admitted: true })));
	}
}

const ANSWER = '{"code":0,"msg":"","data":null}';
const answer = () => new Response(ANSWER, { headers: { 'content-type': 'application/json' } });

const callOf = (request, body) => ({ body, nonce: request.headers.get('x-api-nonce') });

async function commit(request, env) {
	const body = new Uint8Array(await request.arrayBuffer());
	await env.BARE.get(env.BARE.idFromName('one')).commit(callOf(request, body));
	return body;
}

/** Calls that wait for the next trip to the object. */
let waiting = [];
let isUnderWay = false;
const LOST_MILLISECONDS = 10_000;

/** The same where calls that come during a trip share the next one, as `src/platform/joined.ts` does, and do nothing else. */
async function commitShared(request, env, ctx) {
	const { promise, resolve, reject } = Promise.withResolvers();
	waiting.push({ call: callOf(request, new Uint8Array(await request.arrayBuffer())), resolve });
	if (!isUnderWay) ctx.waitUntil(travel(env));
	const lost = setTimeout(() => reject(new Error('lost')), LOST_MILLISECONDS);
	await promise;
	clearTimeout(lost);
}

async function travel(env) {
	isUnderWay = true;
	while (waiting.length > 0) {
		const carried = waiting;
		waiting = [];
		await env.BARE.get(env.BARE.idFromName('one')).commitAll(carried.map(({ call }) => call));
		for (const { resolve } of carried) resolve();
	}
	isUnderWay = false;
}

/** The feed's bytes, read once from the service. */
let bytes = null;
/** An order to make others of, read once. */
let template = null;

async function createOrder(env) {
	template ??= (await env.DB.prepare("SELECT * FROM orders WHERE status = 'NEW' LIMIT 1").all()).results[0];
	const [id, now] = [crypto.randomUUID(), Date.now()];
	const row = { ...template, id, pay_in_address: id, idempotency_key: id, created_at: now, updated_at: now };
	const columns = Object.keys(row);
	await env.DB.batch([
		env.DB.prepare('INSERT INTO archive_guard (key_hash, to_hash, refund_hash) VALUES (?, ?, ?)').bind('0', '1', '2'),
		env.DB.prepare(
			`INSERT INTO orders (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')}) RETURNING *`,
		).bind(...Object.values(row)),
		env.DB.prepare('INSERT INTO order_changes (order_id, sequence, status, cause, at) VALUES (?, 0, ?, ?, ?)').bind(
			...[id, 'NEW', 'created', now],
		),
	]);
}

export default {
	async fetch(request, env, ctx) {
		switch (new URL(request.url).pathname) {
			case '/object':
				await env.BARE.getByName(request.headers.get('cf-connecting-ip')).nothing();
				return answer();
			case '/commit':
				await commit(request, env);
				return answer();
			case '/shared':
				await commitShared(request, env, ctx);
				return answer();
			case '/order': {
				const { id } = JSON.parse(new TextDecoder().decode(await commit(request, env)));
				await env.DB.prepare('SELECT * FROM orders WHERE id = ?').bind(id).all();
				return answer();
			}
			case '/create':
				await commit(request, env);
				await createOrder(env);
				return answer();
			case '/feed':
				bytes ??= await (await env.API.fetch('http://api/api/rates.xml')).arrayBuffer();
				return new Response(bytes, { headers: { 'content-type': 'application/xml; charset=utf-8' } });
			default:
				return new Response(null, { status: 404 });
		}
	},
};
