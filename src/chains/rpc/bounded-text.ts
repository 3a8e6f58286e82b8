/** Reads an HTTP answer up to a size limit, so that a peer cannot send without end. */

/** The answer exceeds the size limit. */
export class AnswerTooLarge extends Error {
	override readonly name = 'AnswerTooLarge';
}

/**
 * If a peer has sent this many bytes when its time is over, its answer counts as too large. No answer that we need is
 * as long.
 */
const SLOW_BYTES = 8 * 1024 * 1024;

/**
 * The caller bounds the time: the abort signal of its request also covers the body.
 * @throws AnswerTooLarge when there are more than `maxBytes` (decompressed), or more than arrives in time
 */
export async function boundedText(response: Response, maxBytes: number): Promise<string> {
	const decoder = new TextDecoder();
	let text = '';
	for await (const chunk of bounded(response, maxBytes)) text += decoder.decode(chunk, { stream: true });
	return text + decoder.decode();
}

/** As `boundedText`, of an answer that is no text. */
export async function boundedBytes(response: Response, maxBytes: number): Promise<Uint8Array> {
	const chunks: Uint8Array[] = [];
	for await (const chunk of bounded(response, maxBytes)) chunks.push(chunk);
	const bytes = new Uint8Array(chunks.reduce((sum, { byteLength }) => sum + byteLength, 0));
	let at = 0;
	for (const chunk of chunks) {
		bytes.set(chunk, at);
		at += chunk.byteLength;
	}
	return bytes;
}

async function* bounded(response: Response, maxBytes: number): AsyncGenerator<Uint8Array, undefined> {
	if (!response.body) return;
	let bytes = 0;
	try {
		// Leaving the loop early cancels the stream, and with it the download.
		for await (const chunk of response.body) {
			bytes += chunk.byteLength;
			if (bytes > maxBytes) throw new AnswerTooLarge(`the answer is larger than ${maxBytes} bytes`);
			yield chunk;
		}
	} catch (error) {
		if (error instanceof AnswerTooLarge || bytes < SLOW_BYTES) throw error;
		throw new AnswerTooLarge(`the answer was incomplete after ${bytes} bytes: ${String(error)}`);
	}
}
