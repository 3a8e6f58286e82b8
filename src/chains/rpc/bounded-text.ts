/** Reads an HTTP answer's text up to a size limit, so that a peer cannot send without end. */

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
	if (!response.body) return '';
	const decoder = new TextDecoder();
	let text = '';
	let bytes = 0;
	try {
		// Leaving the loop early cancels the stream, and with it the download.
		for await (const chunk of response.body) {
			bytes += chunk.byteLength;
			if (bytes > maxBytes) throw new AnswerTooLarge(`the answer is larger than ${maxBytes} bytes`);
			text += decoder.decode(chunk, { stream: true });
		}
	} catch (error) {
		if (error instanceof AnswerTooLarge || bytes < SLOW_BYTES) throw error;
		throw new AnswerTooLarge(`the answer was incomplete after ${bytes} bytes: ${String(error)}`);
	}
	return text + decoder.decode();
}
