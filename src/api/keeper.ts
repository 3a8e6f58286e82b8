/** Holds the API Worker's keys for the operator Worker (`ports/keeper.ts`). It stores only when the operator's cron ran. */
import { DurableObject } from 'cloudflare:workers';
import { type Header, openPiece, sealPiece } from '../backup/sealed.ts';
import type { NetworkName } from '../catalog/networks.ts';
import { isAddressOn, plainForm } from '../chains/addresses.ts';
import { withNetworks } from '../chains/told.ts';
import { configurationProblems, foreignVariables } from '../configuration/check.ts';
import { toldVariables } from '../configuration/told.ts';
import { deploymentOf, sealKeyProof, secretFingerprint } from '../crypto/key-proof.ts';
import {
	asIfValid,
	ConfigurationError,
	type Key,
	type KeyName,
	type KeyRing,
	keyRing,
	numbersIn,
	sealingKey,
} from '../crypto/key-ring.ts';
import { type SealClaim, seal, sealHolds } from '../crypto/seals.ts';
import { newApiKey } from '../partners/api-key.ts';
import { type Chosen, newScoped } from '../partners/scoped.ts';
import { issuedAt, newSecret, openIssued, sealIssued } from '../partners/secrets.ts';
import { logError } from '../platform/log.ts';
import type { ToldByAgents } from '../ports/agents.ts';
import type { OwnEnv } from '../ports/env.ts';
import type { HeldKeys, KeeperRpc, StoredSecret } from '../ports/keeper.ts';

const CRON_AT = 'cronAt';

type Implemented = Omit<KeeperRpc, keyof Rpc.DurableObjectBranded>;

export class Keeper extends DurableObject<OwnEnv> implements Implemented {
	async told() {
		const { env } = this;
		const agents = await toldByAgents(env);
		return {
			variables: { ...agents?.variables, ...toldVariables(env) },
			agents: agents && { hasArchive: agents.hasArchive },
			keys: {
				rings: {
					SEAL_KEY: heldRing(env, 'SEAL_KEY'),
					SECRETS_KEY: heldRing(env, 'SECRETS_KEY'),
					API_KEY_KEY: heldRing(env, 'API_KEY_KEY'),
				},
				operatorTokens: env.OPERATOR_TOKEN_NEXT ? 2 : 1,
			},
			hasArchive: env.ARCHIVE !== undefined,
			at: Date.now(),
			cronAt: (await this.ctx.storage.get<number>(CRON_AT)) ?? null,
		};
	}

	async minute() {
		await this.ctx.storage.put(CRON_AT, Date.now());
		return this.told();
	}

	problems() {
		return configurationProblems(this.env, 'api');
	}

	foreignToOperator(names: readonly string[]) {
		return foreignVariables(names, 'operator');
	}

	newApiKey() {
		return newApiKey(keyRing(this.env, 'API_KEY_KEY'));
	}

	newSecret(partnerId: string, name: string, replaced?: string) {
		return newSecret(keyRing(this.env, 'SECRETS_KEY'), partnerId, name, replaced);
	}

	newScoped(partnerId: string, chosen: Chosen) {
		const rings = { apiKeys: keyRing(this.env, 'API_KEY_KEY'), secrets: keyRing(this.env, 'SECRETS_KEY') };
		return newScoped(rings, partnerId, chosen);
	}

	sealAgain(secrets: readonly StoredSecret[]): Promise<(string | null)[]> {
		return Promise.all(secrets.map((one) => sealedAgain(this.env, one)));
	}

	fingerprints(name: KeyName | 'OPERATOR_TOKEN'): Promise<string[]> {
		return fingerprints(this.env, name);
	}

	async seal(texts: readonly string[]): Promise<string[]> {
		for (const text of texts) requireDecidable(text);
		const keys = keyRing(this.env, 'SEAL_KEY');
		return Promise.all(texts.map((text) => seal(keys, text)));
	}

	hold(claims: readonly SealClaim[]): Promise<boolean[]> {
		const keys = keyRing(this.env, 'SEAL_KEY');
		return Promise.all(claims.map((claim) => holds(keys, claim)));
	}

	reseal(claims: readonly SealClaim[]): Promise<(string | null)[]> {
		const keys = keyRing(this.env, 'SEAL_KEY');
		return Promise.all(claims.map(async (claim) => ((await holds(keys, claim)) ? seal(keys, claim.text) : null)));
	}

	sealPiece(header: Header, place: number | 'end', text: string): Promise<string> {
		return sealPiece(keyRing(this.env, 'SEAL_KEY'), header, place, text);
	}

	openPiece(header: Header, place: number | 'end', line: string): Promise<string | null> {
		return openPiece(keyRing(this.env, 'SEAL_KEY'), header, place, line);
	}

	async identify(challenge: string) {
		return { sealKey: await sealKeyProof(this.env, challenge), deployment: await deploymentOf(this.env) };
	}

	async plainAddress(network: NetworkName, text: string): Promise<string | null> {
		const env = await withNetworks(this.env, (work) => this.ctx.waitUntil(work));
		return isAddressOn(env, network, text) ? plainForm(network, text) : null;
	}

	async findsArchived(object: string): Promise<boolean> {
		return (await this.env.ARCHIVE?.head(object)) != null;
	}
}

/** Null where they do not answer: the operator's commands go on without, and find out why. */
async function toldByAgents({ AGENTS }: OwnEnv): Promise<ToldByAgents | null> {
	try {
		return await AGENTS.told();
	} catch (error) {
		logError('agents_not_asked', error);
		return null;
	}
}

async function holds(keys: KeyRing, claim: SealClaim): Promise<boolean> {
	const rings = claim.leaked ? asIfValid(keys) : [keys];
	return (await Promise.all(rings.map((ring) => sealHolds(ring, claim)))).includes(true);
}

/** The seals of an operator's decisions, by the first words of their texts. */
const DECIDABLE =
	/^(?:settlement|earned|payout|stray|webhook endpoint|invitation|order page|archive|ledger piece|ledger opening|held triggers)$/;

function requireDecidable(text: string): void {
	const [kind] = JSON.parse(text) as unknown[];
	if (!DECIDABLE.test(String(kind))) throw new TypeError(`the keeper makes no seal of the kind ${kind}`);
}

function heldRing(env: OwnEnv, name: KeyName): HeldKeys['rings'][KeyName] {
	try {
		const ring = keyRing(env, name);
		return { ...numbersIn(ring), deployment: ring.deployment, hasNext: Boolean(env[`${name}_NEXT`]) };
	} catch (error) {
		if (error instanceof ConfigurationError) return { wrong: error.message };
		throw error;
	}
}

async function sealedAgain(env: OwnEnv, { partnerId, name, stored }: StoredSecret): Promise<string | null> {
	const keys = keyRing(env, 'SECRETS_KEY');
	const secret = await openIssued(keys, { partnerId, name, stored }).catch(() => null);
	return secret === null ? null : sealIssued(keys, { partnerId, name, secret, at: issuedAt(stored) });
}

/** The fingerprint of each one that is valid, the one in use first. */
function fingerprints(env: OwnEnv, name: KeyName | 'OPERATOR_TOKEN'): Promise<string[]> {
	const secrets = name === 'OPERATOR_TOKEN' ? tokensOf(env) : keysOf(env, name);
	return Promise.all(secrets.map(secretFingerprint));
}

const utf8 = (text: string) => new TextEncoder().encode(text) as Uint8Array<ArrayBuffer>;

const tokensOf = ({ OPERATOR_TOKEN, OPERATOR_TOKEN_NEXT }: OwnEnv) =>
	[OPERATOR_TOKEN, OPERATOR_TOKEN_NEXT].flatMap((token) => (token ? [utf8(token)] : []));

function keysOf(env: OwnEnv, name: KeyName) {
	const ring = keyRing(env, name);
	const sealing = sealingKey(ring, Date.now());
	const others = [ring.current, ring.previous].filter((key) => key !== null && key !== sealing) as Key[];
	return [sealing, ...others].map(({ bytes }) => bytes);
}
