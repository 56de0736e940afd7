// Package purge takes texts from what lies beside the ledger and the index: the spool, the
// states of sessions, the logs, the histories of Temporal. It looks whether they are gone, in
// every file of the home and in every history, and keeps a receipt with which that can be looked
// at again.
//
// A receipt must find a text without holding it. So it holds hashes of parts of the text, under
// a secret of its own, and is sealed with the home's key: who has the receipt alone can not even
// try a guess. Files are read with a rolling hash over windows of the same lengths.
package purge
