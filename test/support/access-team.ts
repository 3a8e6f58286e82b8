/** A team of Cloudflare Access, played by a local server: its keys, and tokens that are signed as it would sign them. */
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export const AUDIENCE = 'a1b2c3d4e5f60718293a4b5c6d7e8f90';
export const EMAIL = 'ada@house.example';
export const KID = 'key-of-the-team';

export type Claims = Readonly<Record<string, unknown>>;

export const seconds = (): number => Math.floor(Date.now() / 1000);
export const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

export interface AccessTeam {
	readonly origin: string;
	/** How often its keys were asked for. */
	readonly asked: () => number;
	readonly publicKey: KeyObject;
	claims(more?: Claims): Claims;
	jwt(body: Claims, header?: Claims, key?: KeyObject): string;
	stop(): void;
}

export async function startAccessTeam(): Promise<AccessTeam> {
	const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
	let asked = 0;
	const server = createServer((request, response) => {
		asked += request.url === '/cdn-cgi/access/certs' ? 1 : 0;
		const jwk = { ...publicKey.export({ format: 'jwk' }), kid: KID, alg: 'RS256', use: 'sig' };
		response.setHeader('content-type', 'application/json').end(JSON.stringify({ keys: [jwk] }));
	});
	await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
	const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	return {
		origin,
		asked: () => asked,
		publicKey,
		claims: (more = {}) => ({
			iss: origin,
			aud: [AUDIENCE],
			email: EMAIL,
			sub: 'ada',
			iat: seconds(),
			exp: seconds() + 600,
			type: 'app',
			...more,
		}),
		jwt(body, header = {}, key = privateKey) {
			const signed = `${part({ alg: 'RS256', typ: 'JWT', kid: KID, ...header })}.${part(body)}`;
			return `${signed}.${sign('sha256', Buffer.from(signed), key).toString('base64url')}`;
		},
		stop: () => void server.close(),
	};
}
