/**
 * The document for generators that read OpenAPI 3.0 alone: the same, less what 3.0 cannot say. Events stay as schemas. Pure.
 */
type Node = Readonly<Record<string, unknown>>;

/** 3.0 names a licence by its text, and not by its SPDX id. */
const MIT = 'https://opensource.org/license/mit';

/** `document`: the 3.1 document, as it was parsed. */
export function olderDocument(document: Node): Node {
	const { webhooks: _, info, ...rest } = document;
	const { summary: __, license, ...known } = info as Node;
	const { name } = license as Node;
	return { ...(older(rest) as Node), openapi: '3.0.3', info: { ...known, license: { name, url: MIT } } };
}

function older(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(older);
	if (typeof value !== 'object' || value === null) return value;
	const node = Object.fromEntries(
		Object.entries(value).map(([key, inside]) => [
			key,
			key === 'example' || key === 'examples' ? inside : older(inside),
		]),
	);
	return withNull(withOneType(withEnum(node)));
}

/** A constant is an enumeration of one. */
const withEnum = ({ const: constant, ...node }: Node): Node =>
	constant === undefined || typeof constant === 'object' ? node : { ...node, enum: [constant] };

/** Several types are alternatives. */
function withOneType(node: Node): Node {
	const { type, ...rest } = node;
	if (!Array.isArray(type)) return node;
	const types = type.filter((each) => each !== 'null');
	const nullable = types.length < type.length && { nullable: true };
	const [only] = types;
	return types.length === 1
		? { ...rest, type: only, ...nullable }
		: { ...rest, oneOf: types.map((each) => ({ type: each })), ...nullable };
}

const isNull = (each: unknown): boolean => (each as Node)['type'] === 'null';

/** `null` among alternatives is a property of all of them; beside a reference it would be lost, so the reference is one. */
function withNull(node: Node): Node {
	const { anyOf, ...rest } = node;
	if (!Array.isArray(anyOf) || !anyOf.some(isNull)) return node;
	const others = anyOf.filter((each) => !isNull(each)) as Node[];
	const [only] = others;
	return others.length === 1 && only && !only['$ref']
		? { ...only, ...rest, nullable: true }
		: { ...rest, oneOf: others, nullable: true };
}
