/**
 * What crosses to another object or Worker, as `structuredClone` copies it; plain data, which is most of it, is copied by
 * hand. Requests, answers and functions stay what they are: the platform makes stubs and streams of them.
 */
export function copied<T>(value: T): T {
	return (isPlain(value) ? copyOf(value) : structuredClone(value)) as T;
}

const staysItself = (value: unknown): boolean =>
	typeof value === 'function' || value instanceof Request || value instanceof Response;

function isPlain(value: unknown): boolean {
	if (typeof value === 'symbol') return false;
	if (staysItself(value)) return true;
	if (typeof value !== 'object' || value === null) return true;
	if (Array.isArray(value)) return value.every(isPlain);
	return Object.getPrototypeOf(value) === Object.prototype && Object.values(value).every(isPlain);
}

function copyOf(value: unknown): unknown {
	if (typeof value !== 'object' || value === null || staysItself(value)) return value;
	if (Array.isArray(value)) return value.map(copyOf);
	const copy: Record<string, unknown> = {};
	for (const key in value) copy[key] = copyOf((value as Record<string, unknown>)[key]);
	return copy;
}
