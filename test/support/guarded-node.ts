/** A node behind a password: what comes without one that is valid now is refused with 401 and counted. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface GuardedNode {
	/** The node's URL with this user's password. */
	url(user: string): string;
	/** Users whose password is valid now. */
	readonly valid: Set<string>;
	/** How many calls each user made, and how many were refused. */
	readonly calls: Map<string, number>;
	readonly refused: () => number;
	stop(): Promise<void>;
}

export async function startGuardedNode(target: string): Promise<GuardedNode> {
	const valid = new Set<string>();
	const calls = new Map<string, number>();
	let refused = 0;
	const server = createServer(async (request, response) => {
		const [, encoded = ''] = (request.headers.authorization ?? '').split('Basic ');
		const [user = ''] = Buffer.from(encoded, 'base64').toString().split(':');
		calls.set(user, (calls.get(user) ?? 0) + 1);
		const chunks: Uint8Array[] = [];
		for await (const chunk of request) chunks.push(chunk);
		if (!valid.has(user)) {
			refused++;
			response.writeHead(401).end();
			return;
		}
		const headers = { 'content-type': 'application/json' };
		const answer = await fetch(target, { method: 'POST', headers, body: Buffer.concat(chunks) });
		response.writeHead(answer.status, headers).end(await answer.text());
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const { port } = server.address() as AddressInfo;
	return {
		url: (user) => `http://${user}:password@127.0.0.1:${port}/`,
		valid,
		calls,
		refused: () => refused,
		stop: () =>
			new Promise((resolve) => {
				server.closeAllConnections();
				server.close(() => resolve());
			}),
	};
}
