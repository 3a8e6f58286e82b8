/** `backup check --offline`: opens the last line of a backup with a SEAL_KEY that was typed, and asks no deployment. */
import { openPiece, readHeader } from '../../backup/sealed.ts';
import { ConfigurationError, type KeyRing, keyRing } from '../../crypto/key-ring.ts';
import { contentsOf, isWhole, manifestSchema } from '../backup/contents.ts';
import type { Ends } from './backup-lines.ts';
import { ServiceError } from './service.ts';

/** @throws ServiceError where it is no whole backup, or another key has sealed it */
export async function openedHere(ends: Ends, sealKey: string) {
	const header = readHeader(ends.header);
	if (!header) throw new ServiceError('this is not a backup of Partner Exchange');
	const { keyNumber, deployment } = header;
	const text = await openPiece(ringOf(sealKey, keyNumber, deployment), header, 'end', ends.manifest);
	if (text === null)
		throw new ServiceError(
			`the backup says that ${deployment || 'a deployment without a name'} sealed it with SEAL_KEY number ${keyNumber}, and its last line does not open with this key: it is another key, or the file was truncated or altered`,
		);
	const manifest = manifestSchema.parse(JSON.parse(text));
	if (!isWhole(manifest, ends))
		throw new ServiceError('the backup was altered: its lines are not those that were written');
	return contentsOf(header, manifest);
}

function ringOf(SEAL_KEY: string, number: number, DEPLOYMENT: string): KeyRing {
	try {
		return keyRing({ SEAL_KEY, SEAL_KEY_NUMBER: String(number), DEPLOYMENT }, 'SEAL_KEY');
	} catch (error) {
		if (error instanceof ConfigurationError) throw new ServiceError(error.message);
		throw error;
	}
}
