/** Reads an answer's text up to a limit: a peer that sends without end is cut off. */

/** An answer that is larger than what is read of one. */
export class AnswerTooLarge extends Error {
	override readonly name = 'AnswerTooLarge';
}

/** A peer that has sent this many bytes when its time is over sends too much: no answer that we need is as long. */
const SLOW_BYTES = 8 * 1024 * 1024;

/**
 * The caller bounds the time: the abort signal of its request also covers the body.
 * @throws AnswerTooLarge when there are more than `maxBytes`, unpacked, or more than can be read in the time.
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
		throw new AnswerTooLarge(`the answer was not whole after ${bytes} bytes: ${String(error)}`);
	}
	return text + decoder.decode();
}
