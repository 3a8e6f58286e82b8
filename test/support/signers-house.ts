/** The signer's house as a process of its own, and the wire to it, which does what networks do: cuts, doubles, delays, swaps. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import type { LocalJudge } from '../../src/local/workers.ts';
import { eventually } from './service.ts';

const SCRIPT = join(import.meta.dirname, '../../src/local/judge-service.ts');

export interface HouseProcess {
	/** `kill -9`; its guardian ends what it started. */
	kill(): Promise<void>;
}

/** As `npm run house` does, or `npm run cosigner`. @throws when it ends before it answers */
export async function startHouseProcess(
	stateDirectory: string,
	variables: Readonly<Record<string, string>>,
	judge: LocalJudge = 'house',
): Promise<HouseProcess> {
	const child: ChildProcess = spawn(process.execPath, [SCRIPT, judge], {
		env: { ...process.env, ...variables, STATE_DIR: stateDirectory },
		stdio: ['ignore', 'pipe', 'pipe'],
	});
	const exited = new Promise<void>((done) => child.once('exit', () => done()));
	let output = '';
	await new Promise<void>((answers, failed) => {
		for (const stream of [child.stdout, child.stderr])
			stream?.on('data', (chunk) => {
				output += String(chunk);
				if (output.includes('answers http')) answers();
			});
		child.once('exit', () => failed(new Error(`the ${judge} ended:\n${output}`)));
	});
	return {
		async kill() {
			child.kill('SIGKILL');
			await exited;
			await eventually('its guardian to end what it started', () => isClosed(Number(variables['PORT'])));
		},
	};
}

const isClosed = (port: number): Promise<boolean> =>
	new Promise((tell) => {
		const socket = connect(port, '127.0.0.1', () => {
			socket.destroy();
			tell(false);
		});
		socket.once('error', () => tell(true));
	});

interface Said {
	readonly status: number;
	readonly headers: Headers;
	readonly text: string;
}

export interface Carried {
	readonly headers: Record<string, string>;
	readonly body: string;
}

/** What happens to one call: `null` cuts the connection. `send` brings a call to the house. */
export type Mishap = (call: Carried, send: (call: Carried) => Promise<Said>) => Promise<Said | null>;

export interface Wire {
	readonly url: string;
	/** All calls so far, as they came. */
	readonly carried: Carried[];
	/** Of each call; undone by setting it to `fair`. */
	mishap: Mishap;
	/** Where it leads. */
	to: string;
	stop(): Promise<void>;
}

export const fair: Mishap = (call, send) => send(call);

export async function startWire(to: string): Promise<Wire> {
	const send = async ({ headers, body }: Carried): Promise<Said> => {
		const answer = await fetch(wire.to, { method: 'POST', headers, body });
		return { status: answer.status, headers: answer.headers, text: await answer.text() };
	};
	const server = createServer(async (request, response) => {
		const chunks: Uint8Array[] = [];
		for await (const chunk of request) chunks.push(chunk);
		const call = { headers: ofLink(request.headers), body: Buffer.concat(chunks).toString() };
		wire.carried.push(call);
		const said = await wire.mishap(call, send).catch(() => null);
		if (said) answer(response, said);
		else request.socket.destroy();
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const wire: Wire = {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
		carried: [],
		mishap: fair,
		to,
		stop: () =>
			new Promise((resolve) => {
				server.closeAllConnections();
				server.close(() => resolve());
			}),
	};
	return wire;
}

const ofLink = (headers: IncomingHttpHeaders): Record<string, string> =>
	Object.fromEntries(
		Object.entries(headers).flatMap(([name, value]): [string, string][] =>
			name.startsWith('x-house-') ? [[name, String(value)]] : [],
		),
	);

function answer(response: ServerResponse, { status, headers, text }: Said): void {
	for (const [name, value] of headers) if (name.startsWith('x-house-')) response.setHeader(name, value);
	response.writeHead(status).end(text);
}
