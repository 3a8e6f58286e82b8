/** What these tests use: bindings, a migrated D1, and Durable Object storage of the real runtime. */
import { applyD1Migrations, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import type { Env } from '../../src/ports/env.ts';
import type { JournalVolume } from '../../src/signer/journal/volume.ts';
import type { BareObject } from './worker.ts';

type Migrations = Parameters<typeof applyD1Migrations>[1];

interface Bindings extends Env {
	readonly JOURNAL_VOLUME: DurableObjectNamespace<JournalVolume>;
	readonly BARE_OBJECT: DurableObjectNamespace<BareObject>;
	readonly D1_MIGRATIONS: Migrations;
}

export const bindings = env as unknown as Bindings;

export const migrate = (): Promise<void> => applyD1Migrations(bindings.DB, bindings.D1_MIGRATIONS);

/** An empty Durable Object for a test to store in. */
export interface Bare {
	readonly stub: DurableObjectStub<BareObject>;
	/** Runs inside the object, with its state. */
	run<R>(work: (state: DurableObjectState) => R | Promise<R>): Promise<R>;
}

export function bareObject(name: string): Bare {
	const stub = bindings.BARE_OBJECT.getByName(name);
	return { stub, run: (work) => runInDurableObject(stub, (_, state) => work(state)) };
}
