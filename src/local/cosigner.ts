/** `npm run cosigner`: the co-signer on this machine. */
import { runJudge } from './run-judge.ts';

void runJudge({ judge: 'cosigner', called: 'co-signer', defaults: { stateDirectory: '.cosigner', port: 8790 } });
