/** Calls that `fetch` would not make: header lines twice, empty or of any bytes, and connections that are cut off. */
import { Agent, type OutgoingHttpHeaders, request } from 'node:http';
import { connect } from 'node:net';
import type { Reachable } from './partner.ts';

export interface HostileCall {
	/** Says in a failure what was sent. */
	readonly name: string;
	readonly method: string;
	readonly path: string;
	readonly headers: OutgoingHttpHeaders;
	readonly bytes: Uint8Array;
}

export interface PlainAnswer {
	readonly status: number;
	readonly requestId: string | undefined;
	readonly text: string;
}

/** Connections are kept, so that thousands of calls take seconds. */
export class Caller {
	readonly #agent = new Agent({ keepAlive: true, maxSockets: 16 });
	readonly #url: string;
	constructor({ url }: Reachable) {
		this.#url = url;
	}

	send(call: HostileCall): Promise<PlainAnswer> {
		const { method, path, headers, bytes } = call;
		const { hostname, port } = new URL(this.#url);
		// A body that is refused unread ends its connection.
		const agent = bytes.length > 60_000 ? false : this.#agent;
		const length = bytes.length > 0 || method !== 'GET' ? { 'content-length': String(bytes.length) } : {};
		return new Promise((done, failed) => {
			const sent = request({ hostname, port, method, path, agent, headers: { ...headers, ...length } });
			sent.on('response', (response) => {
				let text = '';
				response.setEncoding('utf8');
				response.on('data', (chunk: string) => {
					text += chunk;
				});
				response.on('error', failed);
				response.on('end', () => {
					const requestId = response.headers['x-request-id'];
					done({ status: response.statusCode ?? 0, requestId: requestId?.toString(), text });
				});
			});
			sent.on('error', (error) => {
				// The other side had closed a kept connection before the call was on its way.
				if (sent.reusedSocket) this.send(call).then(done, failed);
				else failed(new Error(`${method} ${path}: ${error.message}`));
			});
			sent.end(bytes);
		});
	}

	/**
	 * Answers in the order of the calls, a few of which are under way at a time. @throws what `failed` throws for a call
	 * that gets no answer.
	 */
	async sendAll(calls: readonly HostileCall[], failed: (error: Error) => PlainAnswer = fail): Promise<PlainAnswer[]> {
		const answers: PlainAnswer[] = [];
		let next = 0;
		const work = async () => {
			for (let i = next++; i < calls.length; i = next++) {
				const call = calls[i];
				if (call) answers[i] = await this.send(call).catch(failed);
			}
		};
		await Promise.all(Array.from({ length: 16 }, work));
		return answers;
	}

	close(): void {
		this.#agent.destroy();
	}
}

function fail(error: Error): never {
	throw error;
}

/** Sends these bytes, ends its side if asked to, and reads until the other side closes or a second has passed. */
export function exchange({ url }: Reachable, bytes: string, { cut = false } = {}): Promise<string> {
	const { hostname, port } = new URL(url);
	return new Promise((done) => {
		const socket = connect(Number(port), hostname);
		let answer = '';
		socket.setTimeout(1000, () => socket.destroy());
		socket.on('data', (chunk) => {
			answer += chunk.toString('latin1');
		});
		// A refused caller may find the connection closed before they have sent everything.
		socket.on('error', () => undefined);
		socket.on('close', () => done(answer));
		socket.write(Buffer.from(bytes, 'latin1'), () => {
			if (cut) setTimeout(() => socket.destroy(), 50);
		});
	});
}
