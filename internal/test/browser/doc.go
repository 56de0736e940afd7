// Package browser plays a user of the console in a real browser, against a real mneme: it
// finds a memory, edits it, forgets others and takes both back, in both themes and on two
// widths. The tests are skipped where there is no Chromium; "make test-browser" says what to
// install. With -pictures DIR they write the pictures of the documentation.
package browser
