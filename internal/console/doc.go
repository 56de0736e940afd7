// Package console is the page in the browser where the owner of a home sees what is
// remembered, searches and corrects it, and takes changes back. The daemon serves it on
// loopback behind a [uilink.Gate]; "mneme open" opens it.
//
// The pages are templates that are filled on the server, and every action is a form: all of it
// works without JavaScript and with a keyboard alone. Actions go through the same durable
// workflows as the command line and the tools, so each can be undone. What a memory says
// is hostile: templates escape it, and the pages' policy allows no script but the console's own.
package console
