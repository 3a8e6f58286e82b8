/**
 * A backup's words about itself, sealed as its last line: what it was made of, how many pieces it has, and the digest of
 * all lines before. Pure.
 */
import * as z from 'zod/mini';
import type { Page } from '../../backup/object-storage.ts';
import type { Header } from '../../backup/sealed.ts';
import { isoTime } from '../../platform/time.ts';
import type { AgentCopy } from '../../ports/chain-agent.ts';
import type { JournalPage } from '../../ports/copy.ts';

const counts = z.record(z.string(), z.number());

export const manifestSchema = z.strictObject({
	/** Unix milliseconds of the moment that the backup shows. */
	at: z.number(),
	pieces: z.number(),
	/** SHA-256 of all lines before this one, in hex. */
	digest: z.string(),
	migrations: z.array(z.string()),
	/** The schema step of the journal, and its world. */
	step: z.number(),
	world: z.nullable(z.enum(['main', 'test'])),
	/** BIP-32 fingerprint of the SEED. */
	seed: z.string(),
	/** Fingerprints of the keys that the rows need. */
	keys: z.strictObject({ SECRETS_KEY: z.string(), API_KEY_KEY: z.string() }),
	/** Rows of each table. */
	database: counts,
	journal: counts,
	/** By network, as in `RestoreEnd`. */
	nextIndexes: counts,
});

export type Manifest = z.infer<typeof manifestSchema>;

export const sum = (rows: Readonly<Record<string, number>>): number =>
	Object.values(rows).reduce((all, one) => all + one, 0);

/** Are these the lines that were written? */
export const isWhole = (manifest: Manifest, read: { readonly pieces: number; readonly digest: string }): boolean =>
	read.pieces === manifest.pieces && read.digest === manifest.digest;

/** The answer of `backup check`: its deployment and time, and the keys that it needs. */
export const contentsOf = ({ deployment, keyNumber }: Header, manifest: Manifest) => ({
	deployment: deployment || 'without a name',
	at: isoTime(manifest.at),
	sealKeyNumber: keyNumber,
	seedFingerprint: manifest.seed,
	secretsKeyFingerprint: manifest.keys.SECRETS_KEY,
	apiKeyKeyFingerprint: manifest.keys.API_KEY_KEY,
	world: manifest.world,
	newestMigration: manifest.migrations.at(-1) ?? null,
	journalStep: manifest.step,
	rows: sum(manifest.database),
	journal: sum(manifest.journal),
});

export type Piece =
	| { readonly store: 'database'; readonly page: Page }
	| { readonly store: 'journal'; readonly page: JournalPage }
	| { readonly store: 'agents'; readonly agents: Readonly<Record<string, AgentCopy>> };
