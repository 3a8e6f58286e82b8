/** The surface's table, outside the Workers runtime: only the base classes of Durable Objects are missing there. */
import { vi } from 'vitest';

vi.mock('cloudflare:workers', () => ({ DurableObject: class {}, WorkerEntrypoint: class {}, RpcTarget: class {} }));

export const { SURFACE } = await import('../../src/app.ts');
