/** What is deployed: the Workers as `wrangler deploy` bundles them, how large each is and what its start costs. */
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { bundleOf } from './bundle.ts';
import { startupMilliseconds } from './startup.ts';

/** Three packages that every Worker has, whole. */
const YARDSTICK = ['hono', 'drizzle-orm', 'drizzle-orm/sqlite-core', 'zod'];
/** What starting them takes on the machine that the limits were set on. A busy machine takes twice as long, for a Worker too. */
const YARDSTICK_MILLISECONDS = 23;

async function yardstick(): Promise<string> {
	const imports = YARDSTICK.map((name, index) => `import * as package${index} from '${name}';`);
	const exported = `export default [${YARDSTICK.map((_, index) => `package${index}`)}];`;
	const contents = [...imports, exported].join('\n');
	const whole = { contents, resolveDir: import.meta.dirname };
	const built = await build({ stdin: whole, bundle: true, write: false, minify: true, format: 'esm' });
	return built.outputFiles[0]?.text ?? '';
}

const built = new Map<string, ReturnType<typeof bundleOf>>();

/** As it is deployed, without the OpenAPI document; once for all who ask. `entry`: its path below `src`. */
export function deployed(entry: string): ReturnType<typeof bundleOf> {
	const bundle = built.get(entry) ?? bundleOf(entry, { minify: true, withTexts: false });
	built.set(entry, bundle);
	return bundle;
}

const scriptOf = async (entry: string): Promise<string> => (await deployed(entry)).outputFiles[0]?.text ?? '';

/** Of code, minified and gzipped: texts are beside it. The platform's own limit is 10 MiB (book: architecture, "The platform"). */
export const kibibytesOf = async (entry: string): Promise<number> =>
	gzipSync(await scriptOf(entry), { level: 9 }).length / 1024;

/** CPU until each Worker's modules are compiled and evaluated, by the yardstick. The platform's own limit is a second. */
export async function startsOf(entries: readonly string[]): Promise<number[]> {
	const scripts = await Promise.all(entries.map(scriptOf));
	const [yard = Number.NaN, ...each] = await startupMilliseconds(await yardstick(), ...scripts);
	if (!(yard > 1)) throw new RangeError(`the yardstick starts in ${yard} ms`);
	return each.map((cpu) => (cpu / yard) * YARDSTICK_MILLISECONDS);
}
