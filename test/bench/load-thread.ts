/**
 * The load generator: a fixed number of keep-alive connections, each with one request under way at a time (no
 * pipelining), over bare sockets in a thread of its own. Every answer is read and judged; the first one that is not
 * what a client wants ends the run.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import { parentPort } from 'node:worker_threads';
import type { Load, LoadAnswer, LoadResult } from './load.ts';
import { requestsOf } from './traffic.ts';

const CONNECTIONS = 32;
const HEAD_END = '\r\n\r\n';

async function run({ port, traffic, milliseconds, atMost, connections = CONNECTIONS }: Load): Promise<LoadResult> {
	const next = requestsOf(traffic);
	const isWanted = wantedOf(traffic);
	const sockets = await Promise.all(Array.from({ length: connections }, () => open(port)));
	let [sent, answered] = [0, 0];
	const utilisation = performance.eventLoopUtilization();
	const started = performance.now();

	const drive = (socket: Socket) =>
		new Promise<void>((done, failed) => {
			const answer = new Answer();
			const sendNext = () => {
				if (sent >= atMost || performance.now() - started >= milliseconds) return done();
				sent++;
				socket.write(next(), 'latin1');
			};
			socket.on('error', failed);
			socket.on('close', () => failed(new Error('the connection was closed')));
			socket.on('data', (chunk: Buffer) => {
				const text = answer.add(chunk);
				if (text === null) return;
				if (!isWanted(text)) return failed(new Error(`${traffic.kind} call refused: ${text}`));
				answered++;
				sendNext();
			});
			sendNext();
		});

	try {
		await Promise.all(sockets.map(drive));
		const seconds = (performance.now() - started) / 1000;
		return { answered, seconds, busy: performance.eventLoopUtilization(utilisation).utilization };
	} finally {
		for (const socket of sockets) socket.removeAllListeners('close').destroy();
	}
}

async function open(port: number): Promise<Socket> {
	const socket = connect({ port, host: '127.0.0.1', noDelay: true });
	await once(socket, 'connect');
	return socket;
}

/** Long enough to see what an answer is; the rest of a body is counted. */
const READ_BYTES = 4_096;

/** One answer after the other, as their bytes arrive. */
class Answer {
	#text = '';
	#bytes = 0;
	#wanted: number | null = null;

	/** The answer's head and the begin of its body, once all of it is there; null before. */
	add(chunk: Buffer): string | null {
		this.#bytes += chunk.length;
		if (this.#text.length < READ_BYTES) this.#text += chunk.toString('latin1');
		this.#wanted ??= bytesOf(this.#text);
		if (this.#wanted === null || this.#bytes < this.#wanted) return null;
		const text = this.#text;
		[this.#text, this.#bytes, this.#wanted] = ['', 0, null];
		return text;
	}
}

/** Of head and body; null before the head is there. */
function bytesOf(text: string): number | null {
	const headEnd = text.indexOf(HEAD_END);
	if (headEnd < 0) return null;
	const head = text.slice(0, headEnd);
	const length = head.startsWith('HTTP/1.1 304 ') ? '0' : /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
	if (length === undefined) throw new Error(`an answer without a length: ${text}`);
	return headEnd + HEAD_END.length + Number(length);
}

const isOk = (answer: string): boolean => answer.startsWith('HTTP/1.1 200 ');
const isCodeZero = (answer: string): boolean => isOk(answer) && answer.includes(`${HEAD_END}{"code":0,`);

function wantedOf(traffic: Load['traffic']): (answer: string) => boolean {
	if (traffic.kind === 'hello') return isOk;
	if (traffic.kind !== 'get') return isCodeZero;
	return traffic.ifNoneMatch === undefined ? isOk : (answer) => answer.startsWith('HTTP/1.1 304 ');
}

parentPort?.on('message', (load: Load) => {
	run(load).then(
		(result) => parentPort?.postMessage({ result } satisfies LoadAnswer),
		(error) => parentPort?.postMessage({ failed: String(error) } satisfies LoadAnswer),
	);
});
