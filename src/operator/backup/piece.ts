/** The content of one opened line of a backup. */
import type { Page } from '../../backup/object-storage.ts';
import type { AgentCopy } from '../../ports/chain-agent.ts';

export type Piece =
	| { readonly store: 'database' | 'journal'; readonly page: Page }
	| { readonly store: 'agents'; readonly agents: Readonly<Record<string, AgentCopy>> };
