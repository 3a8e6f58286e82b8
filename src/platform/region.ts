/**
 * Where Durable Objects are created: near the database, in the region that `setup` was told (`REGION`). The platform
 * follows a hint only when an object is first asked for, and an object never moves, so every stub is made here. Without
 * `REGION` an object is created near its first caller. Pure.
 */

export const REGIONS = [
	'weur',
	'eeur',
	'apac',
	'apac-ne',
	'apac-se',
	'oc',
	'wnam',
	'enam',
	'sam',
	'afr',
	'me',
] as const;

export type Region = (typeof REGIONS)[number];

export interface Regional {
	/** Secret, so that no deployment drops it; the same in every Worker that has it: one of `REGIONS`. Others count as not set. */
	readonly REGION?: string | undefined;
}

const HINTED = new Map<string, DurableObjectNamespaceGetDurableObjectOptions>(
	REGIONS.map((region) => [region, { locationHint: region }]),
);

const hintOf = ({ REGION }: Regional): DurableObjectNamespaceGetDurableObjectOptions | undefined =>
	REGION === undefined ? undefined : HINTED.get(REGION);

type Branded = Rpc.DurableObjectBranded | undefined;

export const objectNamed = <T extends Branded>(env: Regional, namespace: DurableObjectNamespace<T>, name: string) =>
	namespace.getByName(name, hintOf(env));

export const objectOf = <T extends Branded>(env: Regional, namespace: DurableObjectNamespace<T>, id: DurableObjectId) =>
	namespace.get(id, hintOf(env));
