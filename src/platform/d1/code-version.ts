/** Which code runs here, as the platform and the code itself name it. Pure. */
import { NEWEST_MIGRATION } from './migrations.ts';

export interface CodeVersion {
	/** The platform's id and the deployment's tag; empty where there is none. */
	readonly id: string;
	readonly tag: string;
	/** The newest migration that the code knows: the same in all Workers when all are of one version. */
	readonly migration: string;
}

export const codeVersion = ({ VERSION }: { readonly VERSION?: WorkerVersionMetadata }): CodeVersion => ({
	id: VERSION?.id ?? '',
	tag: VERSION?.tag ?? '',
	migration: NEWEST_MIGRATION,
});
