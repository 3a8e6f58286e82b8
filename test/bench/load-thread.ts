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

async function run({ port, traffic, milliseconds, atMost }: Load): Promise<LoadResult> {
	const next = requestsOf(traffic);
	const isWanted = traffic.kind === 'hello' ? isOk : isCodeZero;
	const sockets = await Promise.all(Array.from({ length: CONNECTIONS }, () => open(port)));
	let [sent, answered] = [0, 0];
	const utilisation = performance.eventLoopUtilization();
	const started = performance.now();

	const drive = (socket: Socket) =>
		new Promise<void>((done, failed) => {
			let received = '';
			const sendNext = () => {
				if (sent >= atMost || performance.now() - started >= milliseconds) return done();
				sent++;
				socket.write(next(), 'latin1');
			};
			socket.on('error', failed);
			socket.on('close', () => failed(new Error('the connection was closed')));
			socket.on('data', (chunk) => {
				received += chunk.toString('latin1');
				const bodyStart = bodyStartOf(received);
				if (bodyStart === null) return;
				const body = received.slice(bodyStart);
				if (!isWanted(received, body)) return failed(new Error(`${traffic.kind} call refused: ${received}`));
				received = '';
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

/** Where the body begins, once all of it is there; null before. */
function bodyStartOf(received: string): number | null {
	const headEnd = received.indexOf(HEAD_END);
	if (headEnd < 0) return null;
	const length = /\r\ncontent-length: (\d+)/i.exec(received.slice(0, headEnd))?.[1];
	if (length === undefined) throw new Error(`an answer without a length: ${received}`);
	const bodyStart = headEnd + HEAD_END.length;
	return received.length - bodyStart >= Number(length) ? bodyStart : null;
}

const isOk = (answer: string): boolean => answer.startsWith('HTTP/1.1 200 ');
const isCodeZero = (answer: string, body: string): boolean => isOk(answer) && body.startsWith('{"code":0,');

parentPort?.on('message', (load: Load) => {
	run(load).then(
		(result) => parentPort?.postMessage({ result } satisfies LoadAnswer),
		(error) => parentPort?.postMessage({ failed: String(error) } satisfies LoadAnswer),
	);
});
