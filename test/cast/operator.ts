/** An operator who calls the operator API over HTTP, wherever the service runs. */

export interface Operated<T> {
	readonly ok: boolean;
	readonly data: T;
	readonly error?: string;
}

/** @throws where no answer comes */
export async function operate<T>(
	{ url, operatorToken }: { readonly url: string; readonly operatorToken: string },
	command: string,
	input: unknown = {},
): Promise<Operated<T>> {
	const response = await fetch(`${url}/operator/v1/${command}`, {
		method: 'POST',
		headers: { authorization: `Bearer ${operatorToken}` },
		body: JSON.stringify(input),
	}).catch((cause) => {
		throw new Error(`the service gives no answer to ${command}`, { cause });
	});
	return (await response.json()) as Operated<T>;
}
